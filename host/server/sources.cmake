target_link_libraries(supplierd-host PRIVATE PkgConfig::LIBSYSTEMD)
target_sources(supplierd-host PRIVATE
    ${CMAKE_CURRENT_LIST_DIR}/HandOver.cpp
    ${CMAKE_CURRENT_LIST_DIR}/Housekeeper.cpp
    ${CMAKE_CURRENT_LIST_DIR}/OutdatedRows.cpp
    ${CMAKE_CURRENT_LIST_DIR}/PassedSockets.cpp
    ${CMAKE_CURRENT_LIST_DIR}/PeriodicThread.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ReadinessProbe.cpp
    ${CMAKE_CURRENT_LIST_DIR}/RunningServer.cpp
    ${CMAKE_CURRENT_LIST_DIR}/Server.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ShutdownDeadline.cpp
    ${CMAKE_CURRENT_LIST_DIR}/StartChecks.cpp
    ${CMAKE_CURRENT_LIST_DIR}/Supervisor.cpp
    ${CMAKE_CURRENT_LIST_DIR}/TerminationSignal.cpp)
