#include "host/ctl/ControlProgram.h"

#include <iostream>

int main(int argc, char** argv) {
    return supplierd::host::runControlProgram(argc, argv, std::cout, std::cerr);
}
