// Which test files share processes, and in which order they begin.

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
  'src/storage/signals',
].map((name) => `${name}.test.ts`)
/** Tests that measure their own process, and tests whose mocks other files of the process would see. */
const NEEDS_OWN_PROCESS = /process\.(?:memoryUsage|cpuUsage|threadCpuUsage)|\bgc\(|mock\.timers/

/** The order in which test files begin. */
export type Plan = {
  /** These have a process to themselves and come first. */
  readonly single: readonly string[]
  /** These share the processes: the longest first, and tests of the whole server before those of single parts. */
  readonly shared: readonly string[]
}

export function planFiles(files: readonly string[]): Plan {
  const single = files.filter(needsOwnProcess)
  const shared = files.filter((file) => !single.includes(file))
  const long = LONG_FILES.filter((file) => shared.includes(file))
  const others = shared.filter((file) => !long.includes(file))
  const isWhole = (file: string) => file.startsWith('test/')
  return {
    single,
    shared: [...long, ...others.filter(isWhole), ...others.filter((file) => !isWhole(file))],
  }
}

function needsOwnProcess(file: string): boolean {
  return NEEDS_OWN_PROCESS.test(readFileSync(file, 'utf8'))
}
