import { type Config, ConfigError, readConfig } from '../../../config.ts'
import { causeOf } from '../../client.ts'
import { checkDisk, checkPorts, type Finding, restartWords } from './machine-checks.ts'

// What a server needs around it: its settings, a disk, free ports, and a way for people to reach it.

type Env = Readonly<Record<string, string | undefined>>

/** What findings about mail are about. */
export const MAIL_CHECK = 'e-mail'
const ADDRESS_TIMEOUT_MS = 10_000
/** Errors of certificates by an authority that Node does not know, such as a private one. Browsers may trust it. */
const UNKNOWN_AUTHORITY = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]

export const portsOf = (config: Config): number[] => [
  config.hubPort,
  config.grpcPort,
  config.registryPort,
  config.platformPort,
  config.accountsPort,
  config.appPort,
  config.webPort,
  config.opsPort,
]

/** Nothing when the environment has no settings of a server: it may run on another machine. */
export async function checkSettings(env: Env, isRunning: boolean): Promise<Finding[]> {
  if (!env.ROOKERY_PUBLIC_URL) return []
  try {
    const config = readConfig(env, 'production')
    const around = [
      checkDisk(config.dataDir),
      ...(await checkBucket(config)),
      ...(await checkMail(config)),
    ]
    if (isRunning) return around
    return [...around, await checkPorts(portsOf(config)), ...(await checkDatabase(config))]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    // A running server may use other settings, such as those of --as-deployed.
    if (isRunning) return []
    const found = error.faults.join('; ')
    const mend = `correct /etc/rookery/env (.env with containers), then ${restartWords()}`
    return [{ what: 'settings', isFine: false, found, mend }]
  }
}

/** Whether the bucket of pictures and videos can be used. */
export async function checkBucket({ mediaS3 }: Pick<Config, 'mediaS3'>): Promise<Finding[]> {
  if (mediaS3 === undefined) return []
  const { findBucketFault } = await import('../../../features/media/bucket-check.ts')
  const fault = await findBucketFault(mediaS3)
  const fine = { found: `${mediaS3.bucket} can be used`, mend: '' }
  return [{ what: 'bucket', isFine: fault === undefined, ...(fault ?? fine) }]
}

/** Whether the mail server can be reached, has TLS and lets this one in. */
export async function checkMail({ smtp }: Pick<Config, 'smtp'>): Promise<Finding[]> {
  if (smtp === undefined) return []
  const { openSmtp } = await import('../../../features/mail/smtp.ts')
  const opened = await openSmtp(smtp)
  const fault = await opened.findFault().finally(() => opened.close())
  const fine = { found: `${smtp.host}:${smtp.port} takes mail from ${smtp.from}`, mend: '' }
  return [{ what: MAIL_CHECK, isFine: fault === undefined, ...(fault ?? fine) }]
}

/** Why a server that does not run cannot use its PostgreSQL. */
async function checkDatabase(config: Config): Promise<Finding[]> {
  if (config.databaseUrl === undefined) return []
  const [{ joinStore }, { UnsafeDatabaseError }] = await Promise.all([
    import('../../../app.ts'),
    import('../../../kernel/storage/engines/postgres-connection.ts'),
  ])
  const storage = joinStore(config)
  try {
    const cautions = await storage.cautions()
    if (cautions.length > 0) {
      return cautions.map((caution) => ({ what: 'database', isFine: false, ...caution }))
    }
    return [{ what: 'database', isFine: true, found: 'can be used', mend: '' }]
  } catch (error) {
    const fault =
      error instanceof UnsafeDatabaseError
        ? { found: error.found, mend: error.mend }
        : { found: (error as Error).message, mend: 'start PostgreSQL, and correct DATABASE_URL' }
    return [{ what: 'database', isFine: false, ...fault }]
  } finally {
    await storage.close()
  }
}

/** Whether people reach the server: the DNS, the proxy and its certificate. */
export async function checkAddress(url: string): Promise<Finding> {
  const fault = await faultOf(url)
  return {
    what: 'address',
    isFine: fault === undefined,
    found: `${url} ${fault ?? 'answers'}`,
    mend: `lead the host name to this machine, open ports 80 and 443, and read: journalctl -u caddy -n 50`,
  }
}

async function faultOf(url: string): Promise<string | undefined> {
  const signal = AbortSignal.timeout(ADDRESS_TIMEOUT_MS)
  try {
    const { ok, status } = await fetch(`${url}/health/ready`, { signal })
    return ok ? undefined : `answers with status ${status}`
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string }
    if (code && UNKNOWN_AUTHORITY.includes(code)) return undefined
    return `cannot be reached (${causeOf(error as Error)})`
  }
}
