#!/usr/bin/perl
# The sequence `supplierd-plugin` of dh: Build-Depends: dh-sequence-supplierd-plugin.
use strict;
use warnings;

insert_before('dh_installdeb', 'dh_supplierd_plugin');

1;
