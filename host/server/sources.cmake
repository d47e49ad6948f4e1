target_sources(supplierd-host PRIVATE
    ${CMAKE_CURRENT_LIST_DIR}/Housekeeper.cpp
    ${CMAKE_CURRENT_LIST_DIR}/Server.cpp
    ${CMAKE_CURRENT_LIST_DIR}/TerminationSignal.cpp)
