import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { type Config, readConfig } from '../../../config.ts'
import { Failure } from '../../failure.ts'
import { note, print, printJson } from '../../output.ts'
import { checkMachine, checkProgram, type Finding } from './machine-checks.ts'
import {
  newToken,
  ownDirectories,
  type Plan,
  programRoot,
  settingsOf,
  setupFiles,
} from './setup-files.ts'

type Options = Partial<Plan> & {
  readonly out: string
  readonly yes?: true
  readonly dryRun?: true
  readonly force?: true
  readonly json?: true
}

/** What is asked for, what is proposed, and what an answer has to look like. */
const QUESTIONS = {
  host: {
    text: 'Host name of the server, such as social.example.org',
    preset: undefined,
    pattern: /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*$/,
  },
  name: { text: 'Name of the server', preset: 'Rookery', pattern: /^[^"\\$`\p{Cc}]{1,60}$/u },
  signup: {
    text: 'Who may join: open, invite or closed',
    preset: 'invite',
    pattern: /^(?:open|invite|closed)$/,
  },
  dataDir: {
    text: 'Directory of the data',
    preset: '/var/lib/rookery',
    pattern: /^\/[\w./-]+$/,
  },
  backupDir: {
    text: 'Directory of the backups, best on another disk',
    preset: '/var/lib/rookery-backups',
    pattern: /^\/[\w./-]+$/,
  },
} as const satisfies Record<keyof Plan, object>
type Question = keyof typeof QUESTIONS

/** Adds `init`, which writes the files of a server on this machine. */
export function addInitCommand(program: Command): void {
  program
    .command('init')
    .summary('write the settings, the systemd unit and the Caddyfile of a server')
    .description(
      'Asks what it has to know, checks this machine, and writes files for a server under systemd behind Caddy.\n' +
        'Nothing outside of --out is changed; it prints the commands that come next.',
    )
    .option('--host <name>', 'host name of the server')
    .option('--name <text>', 'name of the server')
    .option('--signup <who>', 'who may join: open, invite or closed')
    .option('--data-dir <path>', 'directory of the data')
    .option('--backup-dir <path>', 'directory of the backups')
    .option('--out <path>', 'where the files are written', 'rookery-setup')
    .option('--yes', 'ask nothing: take what is proposed')
    .option('--dry-run', 'print the files in place of writing them, with another token')
    .option('--force', 'write them although a check fails')
    .addHelpText('after', '\nExample:\n  rookery init --host social.example.org --yes --dry-run')
    .action(init)
}

async function init(options: Options): Promise<void> {
  const plan = await planOf(options)
  const settings = settingsOf(plan, newToken())
  const config = readConfig(settings, 'production')
  const findings = [
    checkProgram([programRoot(), process.execPath]),
    ...(await checkMachine(plan.dataDir, portsOf(config))),
  ]
  const files = setupFiles(plan, settings)
  const out = resolve(options.out)
  if (!options.json) for (const finding of findings) note(lineOf(finding))
  if (!options.dryRun) {
    if (!options.force && findings.some(({ isFine }) => !isFine)) {
      throw new Failure('a check failed: mend it, or write the files with --force')
    }
    mkdirSync(out, { recursive: true, mode: 0o700 })
    // Never over files that are there: a token would be lost.
    for (const { name, mode, text } of files)
      writeFileSync(join(out, name), text, { mode, flag: 'wx' })
  }
  const next = nextCommands(out, plan)
  if (options.json) printJson({ plan, findings, out, files, next })
  else if (options.dryRun) for (const { name, text } of files) print(`==> ${name}\n${text}`)
  else print([`The files are in ${out}. Next:`, ...next.map((line) => `  ${line}`)].join('\n'))
}

const lineOf = ({ what, isFine, found, mend }: Finding): string =>
  isFine ? `ok    ${what}: ${found}` : `wrong ${what}: ${found}. To mend it: ${mend}`

const portsOf = (config: Config): number[] => [
  config.hubPort,
  config.grpcPort,
  config.registryPort,
  config.platformPort,
  config.accountsPort,
  config.appPort,
  config.webPort,
  config.opsPort,
]

/** Installs the files, starts the server, and makes the first invite, which needs the server. */
function nextCommands(out: string, plan: Plan): string[] {
  const own = ownDirectories(plan)
  const user =
    own.length === 0
      ? ''
      : `sudo useradd --system rookery; sudo install -d -o rookery -g rookery -m 700 ${own.join(' ')} && `
  const program = `${process.execPath} ${programRoot()}/scripts/rookery.mjs`
  return [
    `${user}sudo install -D -m 600 ${out}/env /etc/rookery/env && sudo cp ${out}/rookery.service /etc/systemd/system/ && sudo cp ${out}/Caddyfile /etc/caddy/`,
    'sudo systemctl enable --now rookery && sudo systemctl reload caddy',
    `sudo sh -c '. /etc/rookery/env; ROOKERY_OPS_TOKEN=$ROOKERY_OPS_TOKEN ${program} invite create'`,
  ]
}

async function planOf(options: Options): Promise<Plan> {
  const mayAsk = !options.yes && process.stdin.isTTY === true
  const lines = mayAsk
    ? createInterface({ input: process.stdin, output: process.stderr })
    : undefined
  try {
    const plan: Partial<Record<Question, string>> = {}
    for (const key of Object.keys(QUESTIONS) as Question[]) {
      plan[key] = await answerTo(key, options[key], lines)
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
  const { text, preset, pattern } = QUESTIONS[key]
  for (let answer = given; ; answer = undefined) {
    const typed = answer ?? (await lines?.question(`${text}${preset ? ` [${preset}]` : ''}: `))
    const value = typed?.trim() || preset
    if (value !== undefined && pattern.test(value)) return value
    const flag = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    const fault = value === undefined ? 'is missing' : `cannot be "${value}"`
    if (!lines) throw new Failure(`${flag} ${fault}. ${text}`)
    note(`It ${fault}.`)
  }
}
