// Which test files share a process, and in which order the processes start.

import { readFileSync } from 'node:fs'

/** They start first, longest first, so that no long file is left at the end. */
const LONG_FILES = [
  'start',
  'openapi',
  'package',
  'pages-browser',
  'leader-processes',
  'grpc-load',
  'docs',
  'events-stream',
  'postgres-replicas',
  'shuttle',
  'chain-random',
  'crash',
  'verify',
  'dev-chain',
  'badges',
  'postgres-processes',
].map((name) => `test/${name}.test.ts`)
/** A process takes half a second or more to load what tests need, so files of short tests share one. */
const FILES_IN_A_PROCESS = 8
/** Tests that measure their own process, and tests whose mocks other files of the process would see. */
const NEEDS_OWN_PROCESS = /process\.(?:memoryUsage|cpuUsage|threadCpuUsage)|\bgc\(|mock\.timers/

/** The processes of a whole run: the files of each. */
export function planProcesses(files: readonly string[]): string[][] {
  const long = LONG_FILES.filter((file) => files.includes(file))
  const others = files.filter((file) => !long.includes(file))
  const single = others.filter((file) => NEEDS_OWN_PROCESS.test(readFileSync(file, 'utf8')))
  const joined = others.filter((file) => !single.includes(file))
  return [...long.map((file) => [file]), ...joinFiles(joined), ...single.map((file) => [file])]
}

/** Neighbours, which take similarly long, go to different processes. */
function joinFiles(files: readonly string[]): string[][] {
  const count = Math.ceil(files.length / FILES_IN_A_PROCESS)
  return Array.from({ length: count }, (_, i) => files.filter((_file, at) => at % count === i))
}
