target_sources(supplierd-host PRIVATE
    ${CMAKE_CURRENT_LIST_DIR}/AccessLog.cpp
    ${CMAKE_CURRENT_LIST_DIR}/JsonLogger.cpp
    ${CMAKE_CURRENT_LIST_DIR}/LogWriter.cpp
    ${CMAKE_CURRENT_LIST_DIR}/PluginMetrics.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ServerMetrics.cpp)
