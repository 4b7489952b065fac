import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newInviteCode } from '../../../features/invites/invites.ts'
import { Failure } from '../../failure.ts'

// What `rookery init` writes. Unit, compose file and Caddyfile are those of deploy/, with the places of this machine.

/** What the operator has decided. */
export type Plan = {
  readonly host: string
  readonly name: string
  readonly signup: string
  /** Days after which a lost account moves to a new key; 0: there is no recovery service. */
  readonly recoveryDays: string
  /** The server that takes e-mail; none: no mail is sent. */
  readonly smtpUrl: string
  /** What runs the server: systemd or compose. */
  readonly with: string
  readonly dataDir: string
  readonly backupDir: string
}

export type SetupFile = { readonly name: string; readonly mode: number; readonly text: string }

/** The directory of the program: it has deploy/ with the templates. */
export function programRoot(from = fileURLToPath(import.meta.url)): string {
  for (let dir = dirname(from); dir !== dirname(dir); dir = dirname(dir)) {
    if (existsSync(join(dir, 'deploy', 'rookery.service'))) return linkTo(dir)
  }
  throw new Failure('this installation has no deploy/ with the templates: run init in a clone')
}

/** A link `rookery` beside the directory, such as /opt/rookery to /opt/rookery-0.2.0: the next version takes it over. */
function linkTo(dir: string): string {
  const link = join(dirname(dir), 'rookery')
  return existsSync(link) && realpathSync(link) === dir ? link : dir
}

/** The file that runs the program: of a clone, or of the npm package. */
export const programFile = (root: string): string =>
  join(root, existsSync(join(root, 'scripts', 'rookery.mjs')) ? 'scripts' : 'bin', 'rookery.mjs')

/** The Node that runs this, by the link when it is of this installation: it has to be there after an upgrade. */
export function nodeFile(root = programRoot()): string {
  const inside = `${realpathSync(root)}/`
  const { execPath } = process
  return execPath.startsWith(inside) ? join(root, execPath.slice(inside.length)) : execPath
}

const TOKEN_BYTES = 24

/** Made anew for each set-up. */
export type Secrets = {
  readonly opsToken: string
  readonly grafanaPassword: string
  readonly firstInvite: string
}

export const newSecrets = (): Secrets => ({
  opsToken: randomBytes(TOKEN_BYTES).toString('hex'),
  grafanaPassword: randomBytes(TOKEN_BYTES).toString('hex'),
  firstInvite: newInviteCode(),
})

/** Who sets it up waits for nobody, and becomes operator. */
const hasFirstInvite = (signup: string) => signup !== 'closed'

/** Where the first person joins. */
export const joinLink = ({ host, signup }: Plan, { firstInvite }: Secrets): string | undefined => {
  return hasFirstInvite(signup) ? `https://${host}/join?invite=${firstInvite}` : undefined
}

/** The settings of the server, with a bucket for pictures and videos when there is one. The compose file adds those of its network. */
export const settingsOf = (
  plan: Plan,
  secrets: Secrets,
  bucketUrl: string | undefined,
): Record<string, string> => ({
  ...(plan.with === 'compose' && { HOST_NAME: plan.host }),
  ROOKERY_NETWORK: 'mainnet',
  ROOKERY_PUBLIC_URL: `https://${plan.host}`,
  ROOKERY_SERVER_NAME: plan.name,
  ROOKERY_SIGNUP: plan.signup,
  ...(hasFirstInvite(plan.signup) && { ROOKERY_FIRST_INVITE: secrets.firstInvite }),
  ...(plan.recoveryDays !== '0' && { ROOKERY_RECOVERY_DAYS: `${plan.recoveryDays},locked` }),
  ...(plan.smtpUrl !== 'none' && { ROOKERY_SMTP_URL: plan.smtpUrl }),
  ...(plan.with === 'systemd' && { ROOKERY_TRUSTED_PROXIES: '127.0.0.1,::1' }),
  ROOKERY_OPS_TOKEN: secrets.opsToken,
  ...(plan.with === 'compose' && { GRAFANA_PASSWORD: secrets.grafanaPassword }),
  ...(plan.with === 'systemd' && { ROOKERY_DATA_DIR: plan.dataDir }),
  ROOKERY_BACKUP_DIR: plan.with === 'systemd' ? plan.backupDir : '/backups',
  ROOKERY_BACKUP_INTERVAL_HOURS: '24',
  ROOKERY_BACKUP_KEEP: '7',
  ...(bucketUrl && { ROOKERY_MEDIA_S3_URL: quotable(bucketUrl) }),
})

/** An address without what a shell would read between quotation marks. */
const quotable = (url: string): string => (URL.parse(url)?.href ?? url).replaceAll('$', '%24')

const COMMENTS: Readonly<Record<string, string>> = {
  HOST_NAME: 'The host name, for Caddy.',
  ROOKERY_NETWORK:
    'What published apps sign messages for. Also right for a network of your own, whose data are apart from others;\n# testnet and devnet are for trials. It cannot be changed later.',
  ROOKERY_PUBLIC_URL: 'Channels and casts keep addresses below it for good.',
  ROOKERY_SERVER_NAME:
    'Name of the server. The room of the operator can change it, and has its rules and contact.',
  ROOKERY_SIGNUP:
    'Who may join: open (anyone), invite (with a code), approval (whom you let in) or closed (nobody).',
  ROOKERY_FIRST_INVITE:
    'The code of the first person, who becomes operator with it. It works once, within 14 days of the first start, also when somebody else has joined: keep it private.',
  ROOKERY_RECOVERY_DAYS:
    'Who has lost every key, and has allowed it before, gets the account back so many days after you have decided so.\n# Find out who asks: docs/accounts.md. Without this line a lost password is a lost account.\n# `,locked` keeps whoever gets hold of the token from changing it; `off,locked` turns it off for good.',
  ROOKERY_SMTP_URL:
    'Takes the e-mail of the server. Try it: rookery mail test ADDRESS. Set SPF, DKIM and DMARC too: docs/mail.md.',
  ROOKERY_TRUSTED_PROXIES:
    'Caddy, on this machine. Its word about addresses of clients is believed.',
  ROOKERY_OPS_TOKEN: 'Opens the room of the operator. Keep it private.',
  GRAFANA_PASSWORD: 'Of the dashboards (user admin), with COMPOSE_PROFILES=metrics.',
  ROOKERY_DATA_DIR: 'The data.',
  ROOKERY_MEDIA_S3_URL: 'The bucket of pictures and videos. Backups do not have them.',
  ROOKERY_BACKUP_DIR: 'Backups: one every day, seven are kept. Copy them to another machine.',
}

/** For systemd, compose and a shell that reads it. */
const envText = (settings: Readonly<Record<string, string>>): string =>
  [
    '# Settings of the server, by rookery init. It holds secrets. All settings: docs/configuration.md',
    ...Object.entries(settings).flatMap(([name, value]) => [
      ...(COMMENTS[name] ? [`# ${COMMENTS[name]}`] : []),
      value.includes('"') ? `${name}='${value}'` : `${name}="${value}"`,
    ]),
    '',
  ].join('\n')

/** Directories that systemd does not make by itself for a user that it makes by itself. */
export const ownDirectories = ({ dataDir, backupDir }: Plan): string[] =>
  [dataDir, backupDir].filter((dir) => !/^\/var\/lib\/rookery(?:-backups)?$/.test(dir))

const template = (name: string): string => readFileSync(join(programRoot(), 'deploy', name), 'utf8')

/** The unit of deploy/ with the places of this machine. */
function unitText(plan: Plan): string {
  const root = programRoot()
  const unit = template('rookery.service')
    .replace('/opt/rookery/scripts/rookery.mjs', programFile(root))
    .replaceAll('/opt/rookery', root)
    .replaceAll('/usr/bin/node', nodeFile(root))
  const own = ownDirectories(plan)
  if (own.length === 0) return unit
  return unit
    .replace('DynamicUser=yes', 'User=rookery\nGroup=rookery')
    .replace('ProtectSystem=strict', `ReadWritePaths=${own.join(' ')}\nProtectSystem=strict`)
}

const caddyText = ({ host }: Plan): string =>
  template('Caddyfile').replace('{$HOST_NAME}', host).replace('rookery:2290', '127.0.0.1:2290')

/** The compose file of deploy/, which builds the image from this clone. */
function composeText(): string {
  const root = programRoot()
  if (!existsSync(join(root, 'deploy', 'compose.yml'))) {
    throw new Failure(
      'the compose file builds the image from a clone of the repository: run init there',
    )
  }
  return template('compose.yml').replace('context: ..,', `context: ${root},`)
}

/** Files of deploy/ that the compose file names. */
const BESIDE_COMPOSE = [
  'Caddyfile',
  'alerts.yml',
  'grafana-dashboard.json',
  'metrics/prometheus.yml',
  'metrics/datasource.yml',
  'metrics/dashboards.yml',
]

export function setupFiles(plan: Plan, settings: Readonly<Record<string, string>>): SetupFile[] {
  const env = { mode: 0o600, text: envText(settings) }
  if (plan.with === 'systemd') {
    return [
      { name: 'env', ...env },
      { name: 'rookery.service', mode: 0o644, text: unitText(plan) },
      { name: 'Caddyfile', mode: 0o644, text: caddyText(plan) },
    ]
  }
  return [
    { name: '.env', ...env },
    { name: 'compose.yml', mode: 0o644, text: composeText() },
    ...BESIDE_COMPOSE.map((name) => ({ name, mode: 0o644, text: template(name) })),
  ]
}
