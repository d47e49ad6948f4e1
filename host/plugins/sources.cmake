target_sources(supplierd-host PRIVATE
    ${CMAKE_CURRENT_LIST_DIR}/CurrentReason.cpp
    ${CMAKE_CURRENT_LIST_DIR}/OpenApiDocument.cpp
    ${CMAKE_CURRENT_LIST_DIR}/PluginDescriptionCheck.cpp
    ${CMAKE_CURRENT_LIST_DIR}/PluginElf.cpp
    ${CMAKE_CURRENT_LIST_DIR}/PluginFolder.cpp
    ${CMAKE_CURRENT_LIST_DIR}/PluginLibrary.cpp
    ${CMAKE_CURRENT_LIST_DIR}/PluginLoader.cpp
    ${CMAKE_CURRENT_LIST_DIR}/PluginNoteReader.cpp
    ${CMAKE_CURRENT_LIST_DIR}/PluginOrder.cpp
    ${CMAKE_CURRENT_LIST_DIR}/PluginSet.cpp
    ${CMAKE_CURRENT_LIST_DIR}/PluginSymlinks.cpp
    ${CMAKE_CURRENT_LIST_DIR}/RequestSchema.cpp
    ${CMAKE_CURRENT_LIST_DIR}/RouteClashes.cpp
    ${CMAKE_CURRENT_LIST_DIR}/RoutePattern.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ServiceRegistry.cpp)
