# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Boost.Fiber, its fibers. It runs the oldest first, and so takes no part in trees of tasks: it
# would hold a whole generation of them, a stack each (fib of 32 ended for want of memory at 9 GB).
find_package(Boost QUIET COMPONENTS fiber context)
if(TARGET Boost::fiber)
  bench_runtime(boost_fiber LABEL "Boost.Fiber" VERSION "${Boost_VERSION_STRING}"
    SOURCES boost_fiber units leaves ADAPTER adapters/boost_fiber.hpp LIBRARIES Boost::fiber Boost::context
    POLICY "as it was built; several workers: work_stealing, threads without work spin; one: \
round_robin; not bound; free() keeps the end of the heap")
else()
  bench_runtime(boost_fiber LABEL "Boost.Fiber" MISSING "Boost.Fiber was not found" PACKAGE libboost-fiber-dev)
endif()
