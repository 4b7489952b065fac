import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { type Config, readConfig } from '../../../config.ts'
import { Failure } from '../../failure.ts'
import { note, print, printJson } from '../../output.ts'
import { checkMachine, checkProgram, type Finding, lineOf } from './machine-checks.ts'
import { checkBucket, checkMail, portsOf } from './server-checks.ts'
import {
  joinLink,
  newSecrets,
  nodeFile,
  ownDirectories,
  type Plan,
  programFile,
  programRoot,
  type Secrets,
  settingsOf,
  setupFiles,
} from './setup-files.ts'

type Options = { readonly [K in keyof Plan]?: Plan[K] | undefined } & {
  readonly out: string
  readonly yes?: true
  readonly dryRun?: true
  readonly force?: true
  readonly json?: true
}

/** What is asked for, what is proposed, and what an answer has to look like, in words too. */
const QUESTIONS = {
  host: {
    text: 'Host name of the server, such as social.example.org',
    preset: undefined,
    form: 'a to z in lower case, digits and hyphens, with a dot between its parts; for a trial on this machine rookery.localhost',
    pattern: /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*$/,
  },
  name: {
    text: 'Name of the server',
    preset: 'Rookery',
    form: '1 to 60 characters without $, ` and \\, with " or with \' but not with both',
    // A shell, systemd and compose read it in quotes: see envText.
    pattern: /^(?:[^"\\$`\p{Cc}]{1,60}|[^'\\$`\p{Cc}]{1,60})$/u,
  },
  signup: {
    text: 'Who may join: open, invite, approval (you let in each) or closed',
    preset: 'invite',
    form: 'one of open, invite, approval and closed',
    pattern: /^(?:open|invite|approval|closed)$/,
  },
  recoveryDays: {
    text: 'Days after which a member who lost every key may get the account back (7 is recommended, 0 for never)',
    preset: '7',
    form: 'a number of days from 1 to 90, or 0 for no recovery service',
    pattern: /^(?:[0-9]|[1-8][0-9]|90)$/,
  },
  smtpUrl: {
    text: 'Server that takes e-mail, as smtps://USER:PASSWORD@host:465?from=ADDRESS (none for no e-mail)',
    preset: 'none',
    form: 'smtps://USER:PASSWORD@host:465?from=ADDRESS, or none',
    pattern: /^(?:none|smtps?:\/\/[^\s"'$`\\]+)$/,
  },
  with: {
    text: 'What runs it: systemd, or compose (containers)',
    preset: 'systemd',
    form: 'one of systemd and compose',
    pattern: /^(?:systemd|compose)$/,
  },
  dataDir: {
    text: 'Directory of the data',
    preset: '/var/lib/rookery',
    form: 'a path that begins with /, of letters, digits, dots and hyphens',
    pattern: /^\/[\w./-]+$/,
  },
  backupDir: {
    text: 'Directory of the backups, best on another disk',
    preset: '/var/lib/rookery-backups',
    form: 'a path that begins with /, of letters, digits, dots and hyphens',
    pattern: /^\/[\w./-]+$/,
  },
} as const satisfies Record<keyof Plan, object>
type Question = keyof typeof QUESTIONS
/** With compose they are volumes. */
const OF_SYSTEMD: readonly Question[] = ['dataDir', 'backupDir']
/** Of Caddy and of the operations interface. */
const COMPOSE_PORTS = [80, 443, 2280]

type Env = Readonly<Record<string, string | undefined>>

/** Adds `init`, which writes the files of a server on this machine. */
export function addInitCommand(program: Command, env: Env): void {
  program
    .command('init')
    .summary('write the settings and the files that run a server, and its first invite')
    .description(
      'Asks what it has to know, checks this machine, and writes files for a server behind Caddy,\n' +
        'under systemd or in containers.\n' +
        'Nothing outside of --out is changed; it prints the commands that come next.\n' +
        'With ROOKERY_MEDIA_S3_URL in the environment it tries the bucket, and with ROOKERY_SMTP_URL the mail\n' +
        'server, and writes the settings.',
    )
    .option('--host <name>', 'host name of the server')
    .option('--name <text>', 'name of the server')
    .option('--signup <who>', 'who may join: open, invite, approval or closed')
    .option('--recovery-days <n>', 'wait of the recovery service, such as 7; 0 for no service')
    .option('--with <what>', 'what runs it: systemd or compose')
    .option('--data-dir <path>', 'directory of the data')
    .option('--backup-dir <path>', 'directory of the backups')
    .option('--out <path>', 'where the files are written', 'rookery-setup')
    .option('--yes', 'ask nothing: take what is proposed')
    .option('--dry-run', 'print the files in place of writing them, with other secrets')
    .option('--force', 'write them although a check fails')
    .addHelpText('after', '\nExample:\n  rookery init --host social.example.org --yes --dry-run')
    .action((options: Options) => init(options, env))
}

async function init(options: Options, env: Env): Promise<void> {
  // No option: command lines are seen by others on the machine.
  const plan = await planOf({ ...options, smtpUrl: env.ROOKERY_SMTP_URL })
  const secrets = newSecrets()
  const settings = settingsOf(plan, secrets, env.ROOKERY_MEDIA_S3_URL || undefined)
  const config = readConfig(settings, 'production')
  const findings = await examine(plan, config)
  const files = setupFiles(plan, settings)
  const out = resolve(options.out)
  if (!options.json) for (const finding of findings) note(lineOf(finding))
  if (!options.dryRun) {
    if (!options.force && findings.some(({ isFine }) => !isFine)) {
      throw new Failure('a check failed: mend it, or write the files with --force')
    }
    mkdirSync(out, { recursive: true, mode: 0o700 })
    const present = files.find(({ name }) => existsSync(join(out, name)))
    if (present) {
      const text = `${join(out, present.name)} is there already, and may hold the secrets of a server`
      throw new Failure(`${text}. Name another directory with --out, or remove it`)
    }
    // Never over files that are there: a token would be lost.
    for (const { name, mode, text } of files) {
      mkdirSync(dirname(join(out, name)), { recursive: true })
      writeFileSync(join(out, name), text, { mode, flag: 'wx' })
    }
  }
  const next = plan.with === 'systemd' ? systemdCommands(out, plan) : composeCommands(out)
  const link = joinLink(plan, secrets)
  if (options.json) printJson({ plan, findings, out, files, next, join: link })
  else if (options.dryRun) for (const { name, text } of files) print(`==> ${name}\n${text}`)
  else print(summary({ out, next, plan, secrets, opsPort: config.opsPort }))
}

type Written = {
  readonly out: string
  readonly next: readonly string[]
  readonly plan: Plan
  readonly secrets: Secrets
  readonly opsPort: number
}

/** The room of the machine, which asks for the token. */
const machineRoom = (out: string, plan: Plan, opsPort: number): string[] => [
  `ssh -L ${opsPort}:127.0.0.1:${opsPort} ${plan.host}`,
  `Open http://127.0.0.1:${opsPort}/operator with ROOKERY_OPS_TOKEN of ${plan.with === 'systemd' ? '/etc/rookery/env' : join(out, '.env')}.`,
]

/** A server where nobody may join has no first account: the room is open to who has the token. */
function firstOfClosed(room: readonly string[]): string[] {
  const steps = [
    ...room,
    'Under Settings, “Who may join”, choose “who has an invite”; under Invites make one with the role operator, and open its link.',
    'Choose “nobody” again when all have joined whom you have invited.',
  ]
  return [
    'Nobody can join while ROOKERY_SIGNUP is closed. For your own account, once it runs:',
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
  ]
}

function summary({ out, next, plan, secrets, opsPort }: Written): string {
  const link = joinLink(plan, secrets)
  const room = machineRoom(out, plan, opsPort)
  return [
    `The files are in ${out}. Next:`,
    ...next.map((line) => `  ${line}`),
    ...(link === undefined
      ? firstOfClosed(room)
      : [
          `Then make the first account, which is the operator's: ${link}`,
          'E-mail, backups and lost accounts are in the room of the machine. From your own computer:',
          ...room.map((line) => `  ${line}`),
        ]),
  ].join('\n')
}

const examine = async (plan: Plan, config: Config): Promise<Finding[]> => [
  ...(plan.with === 'compose'
    ? await checkMachine(programRoot(), COMPOSE_PORTS)
    : [
        checkProgram([programRoot(), nodeFile()], [plan.dataDir, plan.backupDir]),
        ...(await checkMachine(plan.dataDir, portsOf(config))),
      ]),
  ...(await checkBucket(config)),
  ...(await checkMail(config)),
]

/** Installs the files, starts the server, and examines it. */
function systemdCommands(out: string, plan: Plan): string[] {
  const sudo = process.getuid?.() === 0 ? '' : 'sudo '
  const own = ownDirectories(plan)
  const user =
    own.length === 0
      ? ''
      : `${sudo}useradd --system rookery; ${sudo}install -d -o rookery -g rookery -m 700 ${own.join(' ')} && `
  const program = `${nodeFile()} ${programFile(programRoot())}`
  return [
    `${user}${sudo}install -D -m 600 ${out}/env /etc/rookery/env && ${sudo}cp ${out}/rookery.service /etc/systemd/system/ && ${sudo}cp ${out}/Caddyfile /etc/caddy/`,
    `${sudo}systemctl enable --now rookery && ${sudo}systemctl reload caddy`,
    `${sudo}sh -c 'set -a; . /etc/rookery/env; ${program} doctor --wait 60'`,
  ]
}

const composeCommands = (out: string): string[] => [
  `docker compose -f ${out}/compose.yml up -d --build`,
  `docker compose -f ${out}/compose.yml exec rookery rookery doctor --wait 60`,
]

async function planOf(options: Options): Promise<Plan> {
  const mayAsk = !options.yes && process.stdin.isTTY === true
  const lines = mayAsk
    ? createInterface({ input: process.stdin, output: process.stderr })
    : undefined
  try {
    const plan: Partial<Record<Question, string>> = {}
    for (const key of Object.keys(QUESTIONS) as Question[]) {
      const isAsked = plan.with !== 'compose' || !OF_SYSTEMD.includes(key)
      plan[key] = await answerTo(key, options[key], isAsked ? lines : undefined)
    }
    return plan as Plan
  } finally {
    lines?.close()
  }
}

type Lines = ReturnType<typeof createInterface>

async function answerTo(
  key: Question,
  given: string | undefined,
  lines: Lines | undefined,
): Promise<string> {
  const { text, preset, form, pattern } = QUESTIONS[key]
  for (let answer = given; ; answer = undefined) {
    const typed = answer ?? (await lines?.question(`${text}${preset ? ` [${preset}]` : ''}: `))
    const value = typed?.trim() || preset
    if (value !== undefined && pattern.test(value)) return value
    const isMissing = value === undefined
    // It has a password.
    const isSecret = key === 'smtpUrl'
    const flag = isSecret ? 'ROOKERY_SMTP_URL' : flagOf(key)
    const shown = isSecret ? 'that' : JSON.stringify(value)
    const fault = isMissing ? `is missing. ${text}` : `cannot be ${shown}: ${form}`
    if (!lines) throw new Failure(`${flag} ${fault}`)
    note(`It ${isMissing ? 'is missing' : fault}.`)
  }
}

const flagOf = (key: Question): string =>
  `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
