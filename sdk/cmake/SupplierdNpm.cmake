# For plugins with pages: packages of npm, exactly those of a lock file, in the build folder.
include_guard(GLOBAL)

option(SUPPLIERD_NPM "Build what needs packages of npm, where npm is installed" ON)

# supplierd_npm_ci(<out> [FOLDER web] [LICENCES <package>...])
# Runs `npm ci` for the folder's package.json and package-lock.json, when the build is configured and only when one of the
# two has changed since, and sets <out> to the folder that then has node_modules. Packages' install scripts are not run.
# Sets <out> to "" and says so where there is no npm, or SUPPLIERD_NPM is OFF: leave out what needs them.
# LICENCES: the packages whose code goes into what is built; their licences are put into <out>/LICENCES.
#
# Make the lock file with `npm install --package-lock-only --omit-lockfile-registry-resolved`: it then names no registry.
function(supplierd_npm_ci OUT)
    cmake_parse_arguments(ARG "" "FOLDER" "LICENCES" ${ARGN})
    get_filename_component(folder "${ARG_FOLDER}" ABSOLUTE)
    file(RELATIVE_PATH shown "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
    set(${OUT} "" PARENT_SCOPE)
    find_program(SUPPLIERD_NPM_PROGRAM npm DOC "npm, for plugins with pages")
    if(NOT SUPPLIERD_NPM OR NOT SUPPLIERD_NPM_PROGRAM)
        message(STATUS "${shown}: left out, it needs npm (apt-get install npm) and SUPPLIERD_NPM=ON")
        return()
    endif()

    set(work "${CMAKE_CURRENT_BINARY_DIR}/npm")
    set(state "")
    foreach(file IN ITEMS package.json package-lock.json)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${folder}/${file}")
        file(SHA256 "${folder}/${file}" hash)
        string(APPEND state "${hash}\n")
        configure_file("${folder}/${file}" "${work}/${file}" COPYONLY)
    endforeach()
    set(installed "")
    if(EXISTS "${work}/installed")
        file(READ "${work}/installed" installed)
    endif()
    if(NOT installed STREQUAL state)
        message(STATUS "${shown}: npm ci")
        file(REMOVE "${work}/installed")
        execute_process(COMMAND "${SUPPLIERD_NPM_PROGRAM}" ci --ignore-scripts --no-audit --no-fund --loglevel=error
            WORKING_DIRECTORY "${work}" RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
        if(NOT code EQUAL 0)
            message(FATAL_ERROR "${shown}: npm ci failed. -DSUPPLIERD_NPM=OFF leaves out what needs it.\n${output}")
        endif()
        file(WRITE "${work}/installed" "${state}")
    endif()

    set(licences "")
    foreach(package IN LISTS ARG_LICENCES)
        file(READ "${work}/node_modules/${package}/package.json" description)
        string(JSON version GET "${description}" version)
        string(JSON licence GET "${description}" license)
        file(GLOB texts "${work}/node_modules/${package}/LICEN[SC]E*")
        if(NOT texts)
            message(FATAL_ERROR "${shown}: the npm package ${package} has no file LICENSE")
        endif()
        list(GET texts 0 text)
        file(READ "${text}" text)
        string(APPEND licences "${package} ${version} (${licence})\n\n${text}\n\n")
    endforeach()
    if(licences)
        file(WRITE "${work}/LICENCES" "${licences}")
    endif()
    set(${OUT} "${work}" PARENT_SCOPE)
endfunction()

# supplierd_npm_run(<folder that supplierd_npm_ci() gave> INPUTS <file>... COMMAND <program> <argument>...)
# Runs a package's program (of node_modules/.bin), or `node` with a script of one's own, when the build is configured, which
# a changed input does anew: files that supplierd_embed_assets() takes have to be there by then.
function(supplierd_npm_run WORK)
    cmake_parse_arguments(ARG "" "" "INPUTS;COMMAND" ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARG_INPUTS})
    list(POP_FRONT ARG_COMMAND program)
    if(program STREQUAL "node")
        set(path node)
    else()
        set(path "${WORK}/node_modules/.bin/${program}")
    endif()
    # What is bundled lies elsewhere and finds the packages by this path.
    execute_process(COMMAND "${CMAKE_COMMAND}" -E env "NODE_PATH=${WORK}/node_modules"
            "${path}" ${ARG_COMMAND}
        WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT code EQUAL 0)
        message(FATAL_ERROR "${program} failed:\n${output}")
    endif()
endfunction()
