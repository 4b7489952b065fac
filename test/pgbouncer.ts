import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findProgram } from './debian.ts'
import { PATIENCE_MS } from './patience.ts'
import { adminQuery, freePort } from './postgres.ts'

const run = promisify(execFile)
/** From this version on it knows the prepared statements of its clients. */
const PREPARED_SINCE = [1, 21] as const

export type Pgbouncer = {
  /** The URL of a database by way of the pooler. */
  through(url: string): string
  readonly version: string
  /** Whether this version knows prepared statements. */
  readonly knowsPrepared: boolean
  stop(): Promise<void>
}

/** Starts a pgbouncer in transaction mode in front of a server. Throws an Error when it cannot be installed. */
export async function startPgbouncer(serverUrl: string): Promise<Pgbouncer> {
  // Debian keeps it where the PATH of users does not look.
  process.env.PATH += ':/usr/sbin'
  const program = await findProgram(['pgbouncer'], 'pgbouncer')
  const { stdout } = await run(program, ['--version'])
  const version = /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? ''
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const knowsPrepared =
    major > PREPARED_SINCE[0] || (major === PREPARED_SINCE[0] && minor >= PREPARED_SINCE[1])
  const { hostname, port: serverPort, username, password } = new URL(serverUrl)
  const dir = mkdtempSync(join(tmpdir(), 'rookery-pgbouncer-'))
  const port = await freePort()
  const file = join(dir, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${serverPort} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
${knowsPrepared ? 'max_prepared_statements = 500' : ''}
`,
  )
  chmodSync(dir, 0o755)
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(program, ['-q', ...user, file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (text) => {
    errors += text
  })
  const ended = once(child, 'exit')
  const through = (url: string) => {
    const pooled = new URL(url)
    pooled.port = String(port)
    return pooled.href
  }
  const deadline = Date.now() + PATIENCE_MS
  while (!(await adminQuery(through(serverUrl), 'select 1').catch(() => undefined))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`pgbouncer does not answer: ${errors}`)
    }
    await sleep(20)
  }
  return {
    through,
    version,
    knowsPrepared,
    async stop() {
      child.kill('SIGKILL')
      await ended
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
