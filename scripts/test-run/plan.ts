// Which test files share a process, and in which order the processes start.

import { readFileSync } from 'node:fs'

/** They start first, longest first, so that no long file is left at the end. */
const LONG_FILES = [
  'start',
  'client-browser',
  'package',
  'grpc-processes',
  'web-act-browser',
  'pages-browser',
  'postgres-replicas',
  'leader-processes',
  'events',
  'openapi',
  'registry-hub',
  'chaos',
  'docs',
  'backup',
  'grpc-unread',
  'reference',
  'events-stream',
  'security-fuzz',
  'security-bytes',
  'shuttle',
  'chain-random',
  'crash',
  'verify',
  'dev-chain',
  'badges',
  'postgres-processes',
].map((name) => `test/${name}.test.ts`)
/** A process takes half a second or more to load what tests need, so files of short tests share one. */
const MOST_FILES = 12
const FEWEST_FILES = 3
/** A process takes at most this part of the files that are left. */
const PARTS_LEFT = 8
/** Tests that measure their own process, and tests whose mocks other files of the process would see. */
const NEEDS_OWN_PROCESS = /process\.(?:memoryUsage|cpuUsage|threadCpuUsage)|\bgc\(|mock\.timers/

/** The processes of a whole run: the files of each. */
export function planProcesses(files: readonly string[]): string[][] {
  const long = LONG_FILES.filter((file) => files.includes(file))
  const others = files.filter((file) => !long.includes(file))
  const single = others.filter(needsOwnProcess)
  const joined = others.filter((file) => !single.includes(file))
  return [...[...long, ...single].map((file) => [file]), ...joinFiles(joined)]
}

export function needsOwnProcess(file: string): boolean {
  return NEEDS_OWN_PROCESS.test(readFileSync(file, 'utf8'))
}

/**
 * Neighbours, which take similarly long, go to different processes. The last processes are short, so that no
 * processor is without work at the end.
 */
function joinFiles(files: readonly string[]): string[][] {
  const mixed = Array.from({ length: MOST_FILES }, (_, i) =>
    files.filter((_file, at) => at % MOST_FILES === i),
  ).flat()
  const processes: string[][] = []
  while (mixed.length > 0) {
    const share = Math.ceil(mixed.length / PARTS_LEFT)
    processes.push(mixed.splice(0, Math.min(MOST_FILES, Math.max(FEWEST_FILES, share))))
  }
  return processes
}
