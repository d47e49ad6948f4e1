#include "host/StandardDescriptors.h"
#include "host/ctl/terminal/Commands.h"

#include <iostream>

int main(int argc, char** argv) {
    supplierd::host::openStandardDescriptors();
    return supplierd::host::runControlProgram(argc, argv, std::cout, std::cerr);
}
