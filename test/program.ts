// The program as people run it: child processes, their output and their exit codes.

import assert from 'node:assert/strict'
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createDatabase } from './postgres.ts'
import type { EngineName } from './world.ts'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))
const START_WAIT_MS = 20_000

/** A test that fails half way leaves its programs running, and the file would wait for them. */
const running = new Set<ChildProcess>()
after(() => {
  for (const child of running) child.kill('SIGKILL')
})

export type Env = Readonly<Record<string, string>>
export type Finished = { code: number | null; stdout: string; stderr: string }

/** A place for a program's data on one engine, and settings that point to it and to free ports. */
export async function createPlace(
  engine: EngineName,
): Promise<{ env: Env; remove(): Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-program-'))
  const database = engine === 'postgres' ? await createDatabase() : undefined
  return {
    env: {
      ROOKERY_DATA_DIR: join(dir, 'data'),
      ROOKERY_KEYS: join(dir, 'keys.json'),
      ROOKERY_HUB_PORT: '0',
      ROOKERY_REGISTRY_PORT: '0',
      ROOKERY_PLATFORM_PORT: '0',
      ROOKERY_ACCOUNTS_PORT: '0',
      ROOKERY_OPS_PORT: '0',
      // As in a world: for who tests them.
      ROOKERY_BADGE_MAX: '0',
      ...(database && { DATABASE_URL: database.url }),
    },
    async remove() {
      await database?.drop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Runs a command of `rookery` to its end. */
export async function rookery(env: Env, ...args: string[]): Promise<Finished> {
  return finished(launch(env, args))
}

export type Commands = {
  /** Like `rookery`, without a process for each. */
  run(env: Env, ...args: string[]): Promise<Finished>
  stop(): void
}

/** Commands that run one after the other in one process. */
export function startCommands(): Commands {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = fork(join(ROOT, 'test', 'command-runner.ts'), {
    cwd: ROOT,
    env: { PATH, NODE_COMPILE_CACHE, HOME: '/nonexistent' },
    execArgv: [],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const ended = once(child, 'exit')
  return {
    async run(env, ...args) {
      child.send({ env, args })
      const answer = await Promise.race([once(child, 'message'), ended])
      assert(answer[0]?.stdout !== undefined, `it ended with ${answer[0]}`)
      return answer[0]
    },
    stop: () => child.disconnect(),
  }
}

export type Program = {
  readonly hub: string
  readonly registry: string
  readonly platform: string
  readonly accounts: string
  readonly operations: string
  /** Settings with which the commands find this program. */
  readonly client: Env
  readonly child: ChildProcess
  readonly output: Finished
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Finished>
}

/** Starts a server and waits until it says where it listens. */
export async function startProgram(command: 'start' | 'serve', env: Env): Promise<Program> {
  const child = launch(env, [command])
  const ended = finished(child)
  const output = ended.output
  const listening = (async () => {
    while (!/operations +http/.test(output.stdout)) await once(child.stdout!, 'data')
  })()
  const timeout = new Promise((_, reject) => {
    setTimeout(reject, START_WAIT_MS, new Error('the program does not start')).unref()
  })
  await Promise.race([listening, ended, timeout])
  const urlOf = (name: string) => new RegExp(`${name} +(http\\S+)`).exec(output.stdout)?.[1] ?? ''
  const [hub, registry, platform] = [urlOf('hub'), urlOf('registry'), urlOf('platform')]
  const [accounts, operations] = [urlOf('accounts'), urlOf('operations')]
  if (operations === '') throw new Error(`it ended: ${output.code} ${output.stderr}`)
  return {
    hub,
    registry,
    platform,
    accounts,
    operations,
    client: {
      ROOKERY_HUB_URL: hub,
      ROOKERY_REGISTRY_URL: registry,
      ROOKERY_PLATFORM_URL: platform,
      ROOKERY_ACCOUNTS_URL: accounts,
      ROOKERY_OPS_URL: operations,
      ...(env.ROOKERY_KEYS && { ROOKERY_KEYS: env.ROOKERY_KEYS }),
    },
    child,
    output,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

/** Starts a command of `rookery` and leaves it running. */
export function launch(env: Env, args: string[]): ChildProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [join(ROOT, 'src', 'main.ts'), ...args], {
    cwd: ROOT,
    // Sources that are compiled already are all that it has of our environment.
    env: { PATH, NODE_COMPILE_CACHE, HOME: '/nonexistent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

function finished(child: ChildProcess): Promise<Finished> & { output: Finished } {
  const output: Finished = { code: null, stdout: '', stderr: '' }
  child.stdout!.setEncoding('latin1').on('data', (text) => {
    output.stdout += text
  })
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    output.stderr += text
  })
  const ended = once(child, 'close').then(([code]) => {
    output.code = code
    return output
  })
  return Object.assign(ended, { output })
}
