// The PostgreSQL of Debian, which has the programs that operators use: pg_dump, pg_restore, createdb.

import { execFile, execFileSync } from 'node:child_process'
import { appendFileSync, chownSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from './debian.ts'
import { freePort } from './postgres.ts'

const run = promisify(execFile)

type Variables = Readonly<Record<string, string>>

export type DebianPostgres = {
  readonly url: string
  /** Its configuration and `data` are in it; the user of the server may write it. */
  readonly directory: string
  readonly data: string
  readonly port: number
  /** Runs a script of bash with its programs on the PATH. */
  shell(script: string, env?: Variables): Promise<string>
  /** The same as the user of the server, who is another one when we are root. */
  shellOfServer(script: string): Promise<string>
  start(): Promise<unknown>
  stop(): Promise<unknown>
  remove(): Promise<void>
}

/**
 * Makes a server with these lines in its configuration, and variables for it and its programs. Throws an Error when
 * Debian's package cannot be installed.
 */
export async function startDebianPostgres(
  configuration: string,
  variablesIn: (directory: string) => Variables,
): Promise<DebianPostgres> {
  await findProgram(['pg_dump'], 'postgresql')
  const bin = globSync('/usr/lib/postgresql/*/bin/pg_ctl')
    .sort()
    .at(-1)
    ?.replace(/\/pg_ctl$/, '')
  if (bin === undefined) throw new Error('there is no PostgreSQL server of Debian')
  const directory = mkdtempSync(join(tmpdir(), 'rookery-debian-pg-'))
  const data = join(directory, 'data')
  const user = serverUser()
  if (user) chownSync(directory, user.uid, user.gid)
  const port = await freePort()
  const variables = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: directory,
    PGDATA: data,
    ...variablesIn(directory),
  }
  const runAs = async (as: ReturnType<typeof serverUser>, script: string, env: Variables = {}) => {
    const options = { ...as, cwd: directory, env: { ...variables, ...env } }
    const { stdout, stderr } = await run(
      'bash',
      ['--norc', '-euo', 'pipefail', '-c', script],
      options,
    )
    return stdout + stderr
  }
  const shellOfServer = (script: string) => runAs(user, script)
  const start = () => shellOfServer('pg_ctl -w -l "$HOME/log" start > /dev/null')
  await shellOfServer('initdb --auth=trust --username=postgres > /dev/null')
  const lines = [
    `port = ${port}`,
    `unix_socket_directories = '${directory}'`,
    'fsync = off',
    configuration,
  ]
  appendFileSync(join(data, 'postgresql.conf'), `${lines.join('\n')}\n`)
  await start()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    directory,
    data,
    port,
    shell: (script, env) => runAs(undefined, script, env),
    shellOfServer,
    start,
    stop: () => shellOfServer('pg_ctl -w -m fast stop > /dev/null'),
    async remove() {
      await shellOfServer('pg_ctl -m immediate stop > /dev/null || true')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** The server refuses to run as root. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
