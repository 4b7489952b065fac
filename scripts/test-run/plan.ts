// Which test files share a process, and in which order the processes start.

import { readFileSync } from 'node:fs'

/** They start first, those that take longest at the front, so that no long file is left at the end. */
const LONG_FILES = [
  'test/grpc-processes',
  'test/client-browser',
  'test/start',
  'test/package',
  'test/web-act-browser',
  'test/pages-browser',
  'test/postgres-replicas',
  'test/leader-processes',
  'test/docs',
  'test/chaos',
  'test/app-writes',
  'test/registry-hub',
  'test/backup',
  'src/storage/storage',
  'test/grpc-unread',
  'test/shuttle',
  'test/dev-chain',
  'test/badges',
  'test/app-webhooks-processes',
  'test/security-bytes',
  'test/events-stream',
  'test/events',
  'test/openapi',
  'test/reference',
  'test/chain-random',
  'test/verify',
  'src/storage/postgres',
  'test/security-fuzz',
  'test/crash',
  'test/postgres-processes',
].map((name) => `${name}.test.ts`)
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
 * Neighbours, which take similarly long, go to different processes. Tests of the whole server come before those of
 * single parts, and the last processes have few files, so that no processor is without work at the end.
 */
function joinFiles(files: readonly string[]): string[][] {
  const isWhole = (file: string) => file.startsWith('test/')
  const ordered = [...mix(files.filter(isWhole)), ...mix(files.filter((file) => !isWhole(file)))]
  const processes: string[][] = []
  while (ordered.length > 0) {
    const share = Math.ceil(ordered.length / PARTS_LEFT)
    processes.push(ordered.splice(0, Math.min(MOST_FILES, Math.max(FEWEST_FILES, share))))
  }
  return processes
}

function mix(files: readonly string[]): string[] {
  return Array.from({ length: MOST_FILES }, (_, i) =>
    files.filter((_file, at) => at % MOST_FILES === i),
  ).flat()
}
