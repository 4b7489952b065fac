import { Command, Help, type Option } from 'commander'
import type { ClientConfig } from '../config.ts'
import { VERSION } from '../kernel/base/version.ts'
import { SERVERS } from './commands/network.ts'
import { resolveArguments } from './commands/people.ts'
import { printJson, withHints } from './output.ts'

type Environment = Readonly<Record<string, string | undefined>>
type Add = (program: Command, config: ClientConfig, env: Environment) => void
type Group = readonly [commands: string, load: () => Promise<Add>]

/**
 * The commands by who types them, a module for each line, in the order of the help. A module is loaded when one of its
 * commands is called: loading all of them takes ten times as long as most commands run.
 */
const SECTIONS: Readonly<Record<string, readonly Group[]>> = {
  'Use a network': [
    [
      'account whoami',
      async () => (await import('./commands/accounts/account.ts')).addAccountCommands,
    ],
    ['status', async () => (await import('./commands/reading/status.ts')).addStatusCommand],
    ['profile', async () => (await import('./commands/writing/profile.ts')).addProfileCommands],
    ['name', async () => (await import('./commands/name.ts')).addNameCommands],
    [
      'cast delete react like follow unfollow',
      async () => (await import('./commands/writing/post.ts')).addPostCommands,
    ],
    ['poll', async () => (await import('./commands/writing/poll.ts')).addPollCommand],
    [
      'timeline show thread',
      async () => (await import('./commands/reading/casts.ts')).addReadCommands,
    ],
    [
      'search notifications',
      async () => (await import('./commands/reading/lists.ts')).addListCommands,
    ],
    ['open', async () => (await import('./commands/reading/open.ts')).addOpenCommand],
    ['channel', async () => (await import('./commands/channel.ts')).addChannelCommands],
    ['block unblock', async () => (await import('./commands/writing/block.ts')).addBlockCommands],
    ['key', async () => (await import('./commands/key.ts')).addKeyCommands],
    ['storage', async () => (await import('./commands/storage.ts')).addStorageCommands],
    ['approve deny', async () => (await import('./commands/approve.ts')).addApproveCommands],
  ],
  'Build apps': [
    ['connect', async () => (await import('./commands/connect.ts')).addConnectCommand],
    ['events', async () => (await import('./commands/events.ts')).addEventsCommand],
    ['action', async () => (await import('./commands/action.ts')).addActionCommands],
    ['mini-app', async () => (await import('./commands/apps/mini-app.ts')).addMiniAppCommands],
    ['snap', async () => (await import('./commands/apps/snap.ts')).addSnapCommands],
    ['token', async () => (await import('./commands/token.ts')).addTokenCommand],
  ],
  'Operate a server': [
    ['serve', async () => withEnvironment((await import('./commands/server.ts')).addServeCommand)],
    [
      'init',
      async () => withEnvironment((await import('./commands/setup/init.ts')).addInitCommand),
    ],
    ['doctor', async () => (await import('./commands/setup/doctor.ts')).addDoctorCommand],
    ['upgrade', async () => (await import('./commands/setup/upgrade.ts')).addUpgradeCommand],
    ['logs', async () => (await import('./commands/logs.ts')).addLogsCommand],
    [
      'backup restore',
      async () => withEnvironment((await import('./commands/data/backup.ts')).addBackupCommands),
    ],
    [
      'verify',
      async () => withEnvironment((await import('./commands/data/verify.ts')).addVerifyCommand),
    ],
    [
      'export',
      async () => withEnvironment((await import('./commands/data/export.ts')).addExportCommand),
    ],
    ['recovery', async () => (await import('./commands/recovery.ts')).addRecoveryCommands],
    ['mail', async () => (await import('./commands/mail.ts')).addMailCommands],
    ['setting', async () => (await import('./commands/setting.ts')).addSettingCommands],
    ['invite', async () => (await import('./commands/invite.ts')).addInviteCommands],
    ['app', async () => (await import('./commands/app.ts')).addAppCommands],
    ['webhook', async () => (await import('./commands/webhook.ts')).addWebhookCommands],
    ['moderate', async () => (await import('./commands/moderate.ts')).addModerateCommands],
    ['badge', async () => (await import('./commands/badge.ts')).addBadgeCommands],
    ['credit', async () => (await import('./commands/credit.ts')).addCreditCommand],
    ['reserve', async () => (await import('./commands/reserve.ts')).addReserveCommand],
    ['platform', async () => (await import('./commands/portable.ts')).addPortableCommands],
    ['views', async () => (await import('./commands/views.ts')).addViewsCommands],
    ['mirror', async () => (await import('./commands/mirror/mirror.ts')).addMirrorCommands],
  ],
  Develop: [
    ['dev', async () => withEnvironment((await import('./commands/dev.ts')).addDevCommands)],
    ['sql', async () => withEnvironment((await import('./commands/data/sql.ts')).addSqlCommand)],
    ['start', async () => withEnvironment((await import('./commands/server.ts')).addStartCommand)],
  ],
}
const GROUPS = Object.values(SECTIONS).flat()

/** Commands that run a server or open its store read the settings themselves. */
const withEnvironment =
  (add: (program: Command, env: Environment) => void): Add =>
  (program, _, env) =>
    add(program, env)

/**
 * Makes the command line. With arguments it has only the commands that they name.
 */
export async function createProgram(
  env: Environment,
  args: readonly string[] = [],
): Promise<Command> {
  const program = new Command('rookery')
    .description('A social network back end, compatible with Farcaster, that one person can run.')
    .version(VERSION)
    .helpCommand(false)
    .exitOverride()
  const groups = groupsFor(args)
  if (groups.length > 0) {
    const config = (await import('../config.ts')).readClientConfig(env)
    for (const [heading, ofSection] of Object.entries(SECTIONS)) {
      program.commandsGroup(`${heading}:`)
      for (const group of ofSection) {
        if (groups.includes(group)) (await group[1]())(program, config, env)
      }
    }
    const servers = { hub: config.hubUrl, app: config.appUrl }
    program.hook('preAction', (_, command) => resolveArguments(command, servers))
  }
  addCompletionCommand(program, env)
  addManCommand(program, env)
  for (const command of withSubcommands(program)) {
    addJsonOption(command)
    command.showHelpAfterError(`See: ${pathOf(command)} --help`)
    command.configureHelp({ groupItems: withServersLast })
    command.configureOutput({ writeOut: (text) => process.stdout.write(withHints(text)) })
  }
  return program
}

function groupsFor([first = '']: readonly string[]): readonly Group[] {
  if (['--version', '-V', 'completion', 'man'].includes(first)) return []
  const group = GROUPS.find(([commands]) => commands.split(' ').includes(first))
  return group ? [group] : GROUPS
}

/** Adds completion, which prints a script that knows all commands. */
function addCompletionCommand(program: Command, env: Environment): void {
  program
    .command('completion')
    .summary('print a script that completes commands and options in a shell')
    .addArgument(
      program.createArgument('<shell>', 'for which shell').choices(['bash', 'zsh', 'fish']),
    )
    .addHelpText('after', '\nExample:\n  eval "$(rookery completion bash)"')
    .action(async (shell: 'bash' | 'zsh' | 'fish', options: { json?: true }) => {
      const { completionOf } = await import('./completion.ts')
      const script = completionOf(await createProgram(env), shell)
      if (options.json) printJson({ shell, script })
      else process.stdout.write(script)
    })
}

/** Adds man, which prints the page of the manual from the same declarations as the help. */
function addManCommand(program: Command, env: Environment): void {
  program
    .command('man')
    .summary('print the page of the manual, for man -l')
    .addHelpText('after', '\nExample:\n  rookery man > rookery.1')
    .action(async (options: { json?: true }) => {
      const { manualOf } = await import('./manual.ts')
      const page = manualOf(await createProgram(env), VERSION)
      if (options.json) printJson({ page })
      else process.stdout.write(page)
    })
}

/** Options that name servers stand after those that say what to do. */
function withServersLast<T extends Command | Option>(
  this: Help,
  all: T[],
  visible: T[],
  groupOf: (item: T) => string,
): Map<string, T[]> {
  const isServers = (item: T) => groupOf(item) === SERVERS
  const ordered = [...all.filter((item) => !isServers(item)), ...all.filter(isServers)]
  return Help.prototype.groupItems.call(this, ordered, visible, groupOf as never) as Map<
    string,
    T[]
  >
}

/** Every command has --json; some say what it prints. */
function addJsonOption(command: Command): void {
  if (command.commands.length > 0 || command.parent === null) return
  if (command.options.some(({ long }) => long === '--json')) return
  command.option('--json', 'print the result as JSON')
}

const withSubcommands = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap(withSubcommands),
]

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
