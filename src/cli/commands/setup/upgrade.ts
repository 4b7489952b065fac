import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import type { ClientConfig } from '../../../config.ts'
import { VERSION } from '../../../kernel/base/version.ts'
import type { Calls } from '../../calls.ts'
import { EXIT_FAILED, Failure } from '../../failure.ts'
import { hint, note, printResult } from '../../output.ts'
import { asOperator, type OperatorOptions, operatorCalls } from '../operator.ts'
import { askReady, examineStarted } from './doctor.ts'
import { lineOf } from './machine-checks.ts'

type Options = OperatorOptions & { readonly restart: string; readonly backup: boolean }
type Env = Readonly<Record<string, string | undefined>>
type Server = { readonly version: string; readonly schema: number; readonly startedAt: number }

const POLL_MS = 500
/** A backup copies and checks every message. */
const BACKUP_WAIT_MS = 6 * 3_600_000
/** Migrations of the new version run before it is ready. */
const READY_WAIT_MS = 3_600_000
/** Time for the proxy to notice that the server is back. Caddy asks every five seconds. */
const PROXY_WAIT_MS = 15_000

/** Adds `upgrade`, which takes a running server to the version of this program. */
export function addUpgradeCommand(program: Command, config: ClientConfig, env: Env): void {
  asOperator(program.command('upgrade'), config)
    .summary('take the running server to this version: back up, check, restart (operator)')
    .description(
      'Run it with the program of the new version, which is in another directory than the running one. It makes a backup and waits until that is checked,\n' +
        'compares the schemas, restarts the server, waits until it is ready, and examines it. Sends ROOKERY_OPS_TOKEN.',
    )
    .option('--restart <command>', 'how the server is restarted', 'systemctl restart rookery')
    .option('--no-backup', 'make no backup: the database has its own')
    .addHelpText(
      'after',
      '\nExample:\n' +
        '  rookery upgrade --restart "ln -sfn /opt/rookery-0.2.0 /opt/rookery && systemctl restart rookery"',
    )
    .action((options: Options) => upgrade(options, config, env))
}

async function upgrade(options: Options, config: ClientConfig, env: Env): Promise<void> {
  const calls = operatorCalls(options, config)
  const before: Server = await calls.ask('GET /server')
  const { SCHEMA } = await import('../../../store.ts')
  checkSchema(before, SCHEMA.newest)
  const backup = options.backup ? await backUp(calls) : undefined
  if (backup !== undefined) note(`backup ${backup} is made and checked`)
  note(`restarting: ${options.restart}`)
  await restart(options.restart)
  const after = await untilRestarted(options, calls, before)
  if (after.version !== VERSION || after.schema !== SCHEMA.newest) {
    throw new Failure(
      `the restarted server is version ${after.version} with schema ${after.schema}, and not this one: ${options.restart} starts other files`,
    )
  }
  const findings = await examineStarted(options, config, env, PROXY_WAIT_MS)
  for (const finding of findings.filter(({ isFine }) => !isFine)) note(lineOf(finding))
  if (findings.some(({ isFine }) => !isFine)) process.exitCode = EXIT_FAILED
  const text = `The server runs version ${after.version} with schema ${after.schema}; it was ${before.version} with ${before.schema}.`
  printResult(options, { before, after, ...(backup && { backup }), findings }, text)
}

function checkSchema({ version, schema }: Server, ours: number): void {
  if (schema <= ours) return
  throw new Failure(
    `the server runs version ${version} with schema ${schema}, and this program is version ${VERSION} with schema ${ours}: ` +
      'it would refuse the data. To go back, restore a backup of the older version',
  )
}

/** Makes a backup and returns its name. */
async function backUp(calls: Calls<'operations'>): Promise<string> {
  const { isConfigured, advice, backups } = await calls.ask('GET /backups')
  if (!isConfigured) throw new Failure(`${advice} Or add --no-backup`)
  const known = new Set(backups.map(({ name }) => name))
  await calls.ask('POST /backups')
  for (const start = Date.now(); Date.now() - start < BACKUP_WAIT_MS; await delay(POLL_MS)) {
    const now = await calls.ask('GET /backups')
    const made = now.backups.find(({ name }) => !known.has(name))
    if (made && !now.isRunning) return made.name
    if (!now.isRunning && now.lastFailure !== undefined) {
      throw new Failure(`the backup failed: ${now.lastFailure}. Nothing was changed`)
    }
  }
  throw new Failure('the backup is not complete. Nothing was changed')
}

async function restart(command: string): Promise<void> {
  await promisify(execFile)('sh', ['-c', command]).catch(({ stderr, message }) => {
    throw new Failure(
      `the server could not be restarted (${command}): ${String(stderr || message).trim()}`,
    )
  })
}

async function untilRestarted(
  { operations }: Options,
  calls: Calls<'operations'>,
  before: Server,
): Promise<Server> {
  for (const start = Date.now(); Date.now() - start < READY_WAIT_MS; await delay(POLL_MS)) {
    const ready = await askReady(operations)
    if (!ready?.ok) continue
    const now: Server | undefined = await calls.ask('GET /server').catch(() => undefined)
    if (now && now.startedAt !== before.startedAt) return now
  }
  throw new Failure(`the server is not ready: read its log, and ${hint('doctor')}`)
}
