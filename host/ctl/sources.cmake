# supplierctl, all but its main function.
target_link_libraries(supplierd-host PRIVATE CLI11::CLI11)
target_sources(supplierd-host PRIVATE
    ${CMAKE_CURRENT_LIST_DIR}/AuditCommand.cpp
    ${CMAKE_CURRENT_LIST_DIR}/CategoryCommands.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ChangeText.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ConfigCommands.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ControlActor.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ControlContext.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ControlProgram.cpp
    ${CMAKE_CURRENT_LIST_DIR}/DatabaseChecks.cpp
    ${CMAKE_CURRENT_LIST_DIR}/DoctorCommand.cpp
    ${CMAKE_CURRENT_LIST_DIR}/FileChecks.cpp
    ${CMAKE_CURRENT_LIST_DIR}/HintLog.cpp
    ${CMAKE_CURRENT_LIST_DIR}/IdArgument.cpp
    ${CMAKE_CURRENT_LIST_DIR}/InterruptFlag.cpp
    ${CMAKE_CURRENT_LIST_DIR}/KeyCommands.cpp
    ${CMAKE_CURRENT_LIST_DIR}/Listing.cpp
    ${CMAKE_CURRENT_LIST_DIR}/MigrateCommand.cpp
    ${CMAKE_CURRENT_LIST_DIR}/MistypedCommand.cpp
    ${CMAKE_CURRENT_LIST_DIR}/OrderCommands.cpp
    ${CMAKE_CURRENT_LIST_DIR}/OrderFile.cpp
    ${CMAKE_CURRENT_LIST_DIR}/OrderImport.cpp
    ${CMAKE_CURRENT_LIST_DIR}/PluginCommands.cpp
    ${CMAKE_CURRENT_LIST_DIR}/PluginServices.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ProductCommands.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ProgressBar.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ServerChecks.cpp
    ${CMAKE_CURRENT_LIST_DIR}/SupplierCommands.cpp)
