-- Where each server has its data: the servers of the database in its failover order, as JSON. Nothing of a server of the
-- release before.
ALTER TABLE servers
    ADD COLUMN database_nodes TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL;
