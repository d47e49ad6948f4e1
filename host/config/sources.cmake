target_sources(supplierd-host PRIVATE
    ${CMAKE_CURRENT_LIST_DIR}/AddressRange.cpp
    ${CMAKE_CURRENT_LIST_DIR}/CheckedConfig.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ConfigProblem.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ConfigUnits.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ConfigValue.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ConfigValueReader.cpp
    ${CMAKE_CURRENT_LIST_DIR}/FileMark.cpp
    ${CMAKE_CURRENT_LIST_DIR}/NearestName.cpp
    ${CMAKE_CURRENT_LIST_DIR}/SecretFile.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ServerAccount.cpp
    ${CMAKE_CURRENT_LIST_DIR}/SettingsLoader.cpp
    ${CMAKE_CURRENT_LIST_DIR}/SettingsSchema.cpp
    ${CMAKE_CURRENT_LIST_DIR}/TomlProblem.cpp
    ${CMAKE_CURRENT_LIST_DIR}/TomlReader.cpp)
# Used when the configuration names no plugin_dir.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/SettingsLoader.cpp PROPERTIES
    COMPILE_DEFINITIONS "SUPPLIERD_PLUGIN_DIR=\"${CMAKE_INSTALL_FULL_LIBDIR}/supplierd/plugins\"")
