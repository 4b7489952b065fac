import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

// `--profile`: where the processor time of each measured line goes, sampled by perf of Debian's package linux-perf.

const SAMPLES_A_SECOND = 997
/** Time for perf to attach to every thread. */
const ATTACH_MS = 300

/**
 * The part of a sample is the first one whose pattern matches. A pattern with `^` is matched against the running function,
 * any other against all functions of the stack.
 */
const PARTS = {
  'garbage collection':
    /CollectGarbage|Scaveng|MarkCompact|Sweeper|ConcurrentMark|MinorGC|MarkingVisitor/,
  compiling: /v8::internal::(compiler|maglev|turboshaft|baseline|Optimiz|Compil|Parse|interpreter)/,
  sockets: /\[k\] (\w*_)?(tcp|sock|inet|epoll|skb|udp|unix_stream)/,
  files: /\[k\] (\w*_)?(ext4|xfs|overlay|pread64|pwrite64|fsync|filemap|setlk|getlk)/,
  signatures: /^.* of .*(sodium-native|secp256k1)/,
  SQLite: /sqlite3/,
  'other system calls and faults': /^\[k\]/,
  JavaScript: /^\[JIT\]/,
  'built-in functions of V8': /^(Builtins_|v8::)/,
  Node: /^(node::|uv_|llhttp|ares_|simdutf|void node|non-virtual thunk)/,
  'memory and the rest': /./,
} as const

type PartName = keyof typeof PARTS
/** The share of each part of all samples, and of each thread by its name. */
export type Profile = {
  readonly parts: ReadonlyMap<PartName, number>
  readonly threads: ReadonlyMap<string, number>
}

const PART_NAMES = Object.keys(PARTS) as PartName[]
/** As Linux cuts their names. */
const THREADS = [
  'node-MainThread',
  'examiner-thread',
  'merge-thread',
  'checkpoint-thre',
  'views-thread',
  'node-V8Worker',
]

const REST = 'other threads'

let isProfiling = false

/** Profiles every line from now on, which lowers the rates. */
export function profileLines(): void {
  execFileSync('perf', ['--version'])
  isProfiling = true
}

/**
 * Profiles the server under test, a child of this process, while `work` runs. The profile is undefined unless `profileLines`
 * was called before, and when only a bare server runs.
 */
export async function profiled<T>(
  work: () => Promise<T>,
): Promise<{ result: T; profile: Profile | undefined }> {
  const pid = isProfiling ? serverPid() : undefined
  if (pid === undefined) return { result: await work(), profile: undefined }
  const dir = mkdtempSync(join(tmpdir(), 'rookery-profile-'))
  const file = join(dir, 'perf.data')
  try {
    const perf = await startPerf(pid, file)
    const result = await work()
    perf.kill('SIGINT')
    await once(perf, 'exit')
    return { result, profile: await readProfile(file) }
  } finally {
    rmSync(dir, { recursive: true })
  }
}

async function startPerf(pid: string, file: string): Promise<ChildProcess> {
  const frequency = String(SAMPLES_A_SECOND)
  const options = ['-e', 'cpu-clock', '-F', frequency, '-g', '-p', pid, '-o', file]
  const perf = spawn('perf', ['record', ...options], { stdio: 'ignore' })
  await delay(ATTACH_MS)
  if (perf.exitCode !== null) throw new Error('perf could not profile the server')
  return perf
}

/** The process of the program that was started last, not of a bare server. */
function serverPid(): string | undefined {
  const children = readdirSync('/proc/self/task').flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, 'utf8').trim().split(' '),
  )
  return children.findLast((pid) => {
    if (pid === '') return false
    const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')
    return (
      words.some((word) => /bench.*server/.test(word)) && !words.some((w) => w.startsWith('bare'))
    )
  })
}

async function readProfile(file: string): Promise<Profile> {
  const parts = new Map<PartName, number>()
  const threads = new Map<string, number>()
  let samples = 0
  let thread = ''
  let stack: string[] = []
  const end = () => {
    if (stack.length === 0) return
    const part = partOf(stack)
    parts.set(part, (parts.get(part) ?? 0) + 1)
    threads.set(thread, (threads.get(thread) ?? 0) + 1)
    samples++
    stack = []
  }
  const script = spawn('perf', ['script', '-i', file, '-F', 'comm,ip,sym,dso'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  for await (const line of createInterface({ input: script.stdout! })) {
    const frame = FRAME.exec(line)
    if (frame) stack.push(frameText(frame[1]!, frame[2]!))
    else {
      end()
      thread = line.trim()
    }
  }
  end()
  const share = (count: number) => count / samples
  return { parts: mapValues(parts, share), threads: mapValues(threads, share) }
}

/** An address, a function, and its file in parentheses. */
const FRAME = /^\s+[0-9a-f]+ (.*) \((.*)\)$/

function frameText(symbol: string, object: string): string {
  if (object.includes('kernel') || object.endsWith('.ko')) return `[k] ${symbol}`
  if (object.includes('[JIT]') || object.includes('//anon') || object.includes('perf-')) {
    return `[JIT] ${symbol}`
  }
  return /\.node$/.test(object) ? `${symbol} of ${object}` : symbol
}

function partOf(stack: readonly string[]): PartName {
  const leaf = stack[0]!
  return PART_NAMES.find((name) => {
    const pattern = PARTS[name]
    return pattern.source.startsWith('^')
      ? pattern.test(leaf)
      : stack.some((frame) => pattern.test(frame))
  })!
}

const mapValues = <K, V, W>(map: ReadonlyMap<K, V>, change: (value: V) => W): Map<K, W> =>
  new Map(Array.from(map, ([key, value]) => [key, change(value)]))

export type ProfiledLine = {
  readonly name: string
  /** CPU of the server for each unit of work, microseconds. */
  readonly cpuUs: number
  readonly profile?: Profile | undefined
}
type WithProfile = Required<ProfiledLine> & { readonly profile: Profile }

/** Prints the microseconds of each profiled line by part and by thread. */
export function printProfiles(all: readonly ProfiledLine[]): void {
  const lines = all.filter((line): line is WithProfile => line.profile !== undefined)
  if (lines.length === 0) return
  console.log('')
  printParts(lines, PART_NAMES, ({ parts }, name) => parts.get(name))
  console.log('')
  printParts(lines, [...THREADS, REST], ({ threads }, name) =>
    name === REST ? 1 - sum(THREADS.map((known) => threads.get(known) ?? 0)) : threads.get(name),
  )
}

function printParts<Name extends string>(
  lines: readonly WithProfile[],
  names: readonly Name[],
  shareOf: (profile: Profile, name: Name) => number | undefined,
): void {
  console.log(`| CPU us | all | ${names.join(' | ')} |`)
  console.log(`|${' --- |'.repeat(names.length + 2)}`)
  for (const { name: line, cpuUs, profile } of lines) {
    const cells = names.map((name) => ((shareOf(profile, name) ?? 0) * cpuUs).toFixed(1))
    console.log(`| ${[line, cpuUs.toFixed(1), ...cells].join(' | ')} |`)
  }
}

const sum = (list: readonly number[]): number => list.reduce((all, one) => all + one, 0)
