import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import type { AnswerOf } from '../../../client/client.ts'
import type { OperationsOperations } from '../../../client/generated/operations.ts'
import type { ClientConfig } from '../../../config.ts'
import { GIB, MIB } from '../../../kernel/protocol/sizes.ts'
import { HOUR_SECONDS, SECOND_MS } from '../../../kernel/protocol/time.ts'
import { WARNED_SHARE } from '../../../kernel/storage/disk-use.ts'
import { wholeNumber } from '../../arguments.ts'
import { EXIT_FAILED } from '../../failure.ts'
import { hint, print, printJson } from '../../output.ts'
import { asOperator, type OperatorOptions, operatorCalls } from '../operator.ts'
import { type Finding, lineOf, logWords, restartWords } from './machine-checks.ts'
import { checkAddress, checkSettings, MAIL_CHECK } from './server-checks.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Checks that may fail for some seconds after a start. */
const MAY_COME = ['server', 'address']
const MAX_WAIT_SECONDS = 3_600
const POLL_MS = 1_000
/** Longer than a slow server needs, and short enough for one that hangs. */
const READY_TIMEOUT_MS = 20_000

/** Adds `doctor`, which says what is wrong with a running server and what mends it. */
export function addDoctorCommand(program: Command, config: ClientConfig, env: Env): void {
  asOperator(program.command('doctor'), config)
    .summary('say what is wrong with a running server, and the command that mends it (operator)')
    .description(
      'Sends ROOKERY_OPS_TOKEN. With the settings of the server in the environment it says, too, why a server does not\n' +
        'start. Ends with 1 when something is wrong.',
    )
    .option(
      '--wait <seconds>',
      'wait so long until the server and its address answer',
      wholeNumber(0, MAX_WAIT_SECONDS),
      0,
    )
    .addHelpText('after', '\nExample:\n  rookery doctor')
    .action(async ({ wait, ...options }: OperatorOptions & { wait: number }) => {
      const findings = await examineStarted(options, config, env, wait * SECOND_MS)
      const wrong = findings.filter(({ isFine }) => !isFine)
      if (options.json) printJson({ findings })
      else print(findings.map(lineOf).join('\n'))
      if (wrong.length > 0) process.exitCode = EXIT_FAILED
    })
}

/** Examines again while a server that was just started, or the proxy in front of it, does not answer. */
export async function examineStarted(
  options: OperatorOptions,
  config: ClientConfig,
  env: Env,
  waitMs: number,
): Promise<Finding[]> {
  for (const start = Date.now(); ; await delay(POLL_MS)) {
    const findings = await examine(options, config, env)
    const isStarting = findings.some(({ what, isFine }) => !isFine && MAY_COME.includes(what))
    if (!isStarting || Date.now() - start >= waitMs) return findings
  }
}

async function examine(
  options: OperatorOptions,
  config: ClientConfig,
  env: Env,
): Promise<Finding[]> {
  const { isRunning, ...health } = await healthOf(options.operations)
  const settings = await checkSettings(env, isRunning)
  if (!health.isFine) return [health, ...settings]
  const calls = operatorCalls(options, config)
  const [server, backups, { errors }, { jobs }, mail] = await Promise.all([
    calls.ask('GET /server'),
    calls.ask('GET /backups'),
    calls.ask('GET /errors'),
    calls.ask('GET /jobs'),
    // A server without views has no mail either.
    calls.ask('GET /app/mail').catch(() => undefined),
  ])
  const failed = jobs.filter(({ lastOutcome }) => lastOutcome === 'failed')
  return [
    health,
    {
      what: 'program',
      isFine: server.mode === 'production',
      found: `${server.version}, schema ${server.schema}, ${server.mode}, network ${server.network}`,
      mend: `run ${hint('serve')} in place of ${hint('start')} when others use it`,
    },
    ...(await addressFindings(server)),
    ...(await viewFindings(server, calls)),
    quotaFinding(server),
    ...cautionFindings(server),
    server.engine === 'postgres' ? POSTGRES_BACKUPS : backupFinding(backups, server.startedAt),
    {
      what: 'jobs',
      isFine: failed.length === 0,
      found:
        failed.length === 0
          ? 'none failed'
          : failed.map(({ name }) => `"${name}" failed`).join(', '),
      mend: 'journalctl -u rookery -g "job failed"',
    },
    {
      what: 'errors',
      isFine: errors.length === 0,
      found: errors.length === 0 ? 'none since the start' : `${errors.length} since the start`,
      mend: `read them: ${hint('logs')}`,
    },
    // With its settings in the environment the mail server itself was asked.
    ...(mail && !settings.some(({ what }) => what === MAIL_CHECK) ? [mailFinding(mail)] : []),
    ...settings,
  ]
}

/** Where mail goes and whether it gets there, as the server tells it. */
function mailFinding({ server, from, waiting, oldestQueuedAt }: AskedMail): Finding {
  const waits = oldestQueuedAt === null ? 0 : Date.now() / SECOND_MS - oldestQueuedAt
  const isStuck = waits > HOUR_SECONDS
  return {
    what: MAIL_CHECK,
    isFine: server === null || !isStuck,
    found:
      server === null
        ? 'none is sent: no mail server is set up'
        : `goes to ${server} from ${from}, ${waiting} wait${isStuck ? `, the oldest for ${Math.floor(waits / HOUR_SECONDS)} hours` : ''}`,
    mend: `send a test: ${hint('mail test you@example.org')}`,
  }
}

type AskedMail = AnswerOf<OperationsOperations['get'], '/app/mail'>

type Server = AnswerOf<OperationsOperations['get'], '/server'>

const PERCENT = 100

/** In MiB where GiB would be a fraction. */
const sizeText = (bytes: number): string =>
  bytes < GIB ? `${(bytes / MIB).toFixed(1)} MiB` : `${(bytes / GIB).toFixed(2)} GiB`

/** From here on files, and then messages, are about to be refused. */
export function quotaFinding({
  disk: { usedBytes, quotaBytes, share },
}: Pick<Server, 'disk'>): Finding {
  const used = `${sizeText(usedBytes)} are used`
  return {
    what: 'quota',
    isFine: share < WARNED_SHARE,
    found:
      quotaBytes === undefined
        ? `${used}, and no ROOKERY_DISK_QUOTA_GIB bounds them`
        : `${used}, ${Math.floor(share * PERCENT)} % of ${sizeText(quotaBytes)}`,
    mend: 'make room on the disk or use a larger one, and raise ROOKERY_DISK_QUOTA_GIB where it is set',
  }
}

/** What feeds and search lack. A server without views has none. */
async function viewFindings(
  { settings }: Pick<Server, 'settings'>,
  calls: ReturnType<typeof operatorCalls>,
): Promise<Finding[]> {
  if (settings.find(({ variable }) => variable === 'ROOKERY_VIEWS')?.value === 'off') return []
  const { setAside, failure } = await calls.ask('GET /views')
  return [
    {
      what: 'views',
      isFine: setAside === 0 && failure === undefined,
      found:
        failure ??
        (setAside === 0
          ? 'complete'
          : `${setAside} parts of events are missing from feeds and search`),
      mend: `read why: ${hint(failure === undefined ? 'views set-aside' : 'views status')}`,
    },
  ]
}

/** A development network has no public address to check. */
async function addressFindings({ mode, settings }: Server): Promise<Finding[]> {
  const url = settings.find(({ variable }) => variable === 'ROOKERY_PUBLIC_URL')?.value
  return mode === 'production' && url !== undefined ? [await checkAddress(url)] : []
}

/** What the server has found out about its database and the proxy in front of it. */
function cautionFindings({ cautions }: Server): Finding[] {
  const found = cautions.map(({ about, ...one }) => ({ what: about, isFine: false, ...one }))
  return cautions.some(({ about }) => about === 'proxy') ? found : [NAMED_CLIENTS, ...found]
}

const NAMED_CLIENTS: Finding = {
  what: 'proxy',
  isFine: true,
  found: 'names its clients by their addresses, or there is none',
  mend: '',
}

/** The answer whether a server is ready; undefined when it does not answer in time. */
export const askReady = (url: string): Promise<Response | undefined> =>
  fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(READY_TIMEOUT_MS) }).catch(
    () => undefined,
  )

async function healthOf(url: string): Promise<Finding & { readonly isRunning: boolean }> {
  const response = await askReady(url)
  const answer = (await response?.json().catch(() => undefined)) as
    | { checks?: Record<string, string> }
    | undefined
  const failed = Object.entries(answer?.checks ?? {}).filter(([, state]) => state !== 'ok')
  const read = logWords()
  return {
    what: 'server',
    isRunning: response !== undefined,
    isFine: response?.ok === true,
    found: response
      ? failed.map(([name, state]) => `${name} ${state}`).join(', ') || 'ready'
      : `nothing answers at ${url}`,
    mend: response
      ? `read why: ${read}`
      : `${restartWords()}. If it does not start, read why: ${read}`,
  }
}

type Backups = Awaited<ReturnType<typeof askBackups>>
const askBackups = (calls: ReturnType<typeof operatorCalls>) => calls.ask('GET /backups')

/** The server does not make these backups, so it cannot examine them. */
const POSTGRES_BACKUPS: Finding = {
  what: 'backups',
  isFine: true,
  found: 'made with the tools of PostgreSQL, which doctor does not examine: docs/postgresql.md',
  mend: '',
}

/** A server that has just been set up has no backup yet. */
function backupFinding(
  { isConfigured, advice, settings, lastFailure, backups }: Backups,
  serverStartedAt: number,
): Finding {
  const newest = backups[0]
  const age = Date.now() / SECOND_MS - (newest?.startedAt ?? serverStartedAt)
  const isOld = age > 2 * (settings?.intervalHours ?? 0) * HOUR_SECONDS
  return {
    what: 'backups',
    isFine: isConfigured && lastFailure === undefined && !isOld,
    found: !isConfigured
      ? 'none are made'
      : (lastFailure ??
        (newest ? `the newest is ${Math.floor(age / HOUR_SECONDS)} hours old` : 'none yet')),
    mend:
      advice ??
      'make room, or name another directory with ROOKERY_BACKUP_DIR. It is tried again within ten minutes',
  }
}
