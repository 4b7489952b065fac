import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Failure } from '../../failure.ts'

// What `rookery init` writes. The unit and the Caddyfile are those of deploy/, with the places of this machine.

/** What the operator has decided. */
export type Plan = {
  readonly host: string
  readonly name: string
  readonly signup: string
  readonly dataDir: string
  readonly backupDir: string
}

export type SetupFile = { readonly name: string; readonly mode: number; readonly text: string }

/** The directory of the program: it has deploy/ with the templates. */
export function programRoot(from = fileURLToPath(import.meta.url)): string {
  for (let dir = dirname(from); dir !== dirname(dir); dir = dirname(dir)) {
    if (existsSync(join(dir, 'deploy', 'rookery.service'))) return dir
  }
  throw new Failure('this installation has no deploy/ with the templates: run init in a clone')
}

const TOKEN_BYTES = 24

export const newToken = (): string => randomBytes(TOKEN_BYTES).toString('hex')

/** The settings of the server. */
export const settingsOf = (plan: Plan, token: string): Record<string, string> => ({
  ROOKERY_NETWORK: 'mainnet',
  ROOKERY_PUBLIC_URL: `https://${plan.host}`,
  ROOKERY_NICKNAME: plan.name,
  ROOKERY_SIGNUP: plan.signup,
  ROOKERY_TRUSTED_PROXIES: '127.0.0.1,::1',
  ROOKERY_OPS_TOKEN: token,
  ROOKERY_DATA_DIR: plan.dataDir,
  ROOKERY_BACKUP_DIR: plan.backupDir,
  ROOKERY_BACKUP_INTERVAL_HOURS: '24',
  ROOKERY_BACKUP_KEEP: '7',
})

const COMMENTS: Readonly<Record<string, string>> = {
  ROOKERY_NETWORK:
    'What published apps sign messages for. Also right for a network of your own, whose data are apart from others;\n# testnet and devnet are for trials. It cannot be changed later.',
  ROOKERY_PUBLIC_URL: 'Channels and casts keep addresses below it for good.',
  ROOKERY_NICKNAME: 'Name of the server in /v1/info.',
  ROOKERY_SIGNUP: 'Who may join: open (anyone), invite (with a code) or closed (nobody).',
  ROOKERY_TRUSTED_PROXIES:
    'Caddy, on this machine. Its word about addresses of clients is believed.',
  ROOKERY_OPS_TOKEN: 'Opens the room of the operator. Keep it private.',
  ROOKERY_DATA_DIR: 'The data.',
  ROOKERY_BACKUP_DIR: 'Backups: one every day, seven are kept. Copy them to another machine.',
}

/** For systemd and for a shell that reads it. */
const envText = (settings: Readonly<Record<string, string>>): string =>
  [
    '# Settings of the server, by rookery init. It holds a secret. All settings: docs/configuration.md',
    ...Object.entries(settings).flatMap(([name, value]) => [
      ...(COMMENTS[name] ? [`# ${COMMENTS[name]}`] : []),
      `${name}="${value}"`,
    ]),
    '',
  ].join('\n')

/** Directories that systemd does not make by itself for a user that it makes by itself. */
export const ownDirectories = ({ dataDir, backupDir }: Plan): string[] =>
  [dataDir, backupDir].filter((dir) => !/^\/var\/lib\/rookery(?:-backups)?$/.test(dir))

/** The unit of deploy/ with the places of this machine. */
function unitText(root: string, plan: Plan): string {
  const unit = readFileSync(join(root, 'deploy', 'rookery.service'), 'utf8')
    .replaceAll('/opt/rookery', root)
    .replaceAll('/usr/bin/node', process.execPath)
  const own = ownDirectories(plan)
  if (own.length === 0) return unit
  return unit
    .replace('DynamicUser=yes', 'User=rookery\nGroup=rookery')
    .replace('ProtectSystem=strict', `ReadWritePaths=${own.join(' ')}\nProtectSystem=strict`)
}

const caddyText = (root: string, { host }: Plan): string =>
  readFileSync(join(root, 'deploy', 'Caddyfile'), 'utf8')
    .replace('{$HOST_NAME}', host)
    .replace('rookery:2290', '127.0.0.1:2290')

export const setupFiles = (plan: Plan, settings: Readonly<Record<string, string>>): SetupFile[] => {
  const root = programRoot()
  return [
    { name: 'env', mode: 0o600, text: envText(settings) },
    { name: 'rookery.service', mode: 0o644, text: unitText(root, plan) },
    { name: 'Caddyfile', mode: 0o644, text: caddyText(root, plan) },
  ]
}
