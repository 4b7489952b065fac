import { Command } from 'commander'
import { VERSION } from '../base/version.ts'
import type { ClientConfig } from '../config.ts'
import { resolveArguments } from './commands/people.ts'
import { printJson, withHints } from './output.ts'

type Environment = Readonly<Record<string, string | undefined>>
type Add = (program: Command, config: ClientConfig, env: Environment) => void
type Group = readonly [commands: string, load: () => Promise<Add>]

/**
 * The commands, a module for each line, in the order of the help. A module is loaded when one of its commands is
 * called: loading all of them takes ten times as long as most commands run.
 */
const GROUPS: readonly Group[] = [
  [
    'start serve',
    async () => withEnvironment((await import('./commands/server.ts')).addServerCommands),
  ],
  ['init', async () => (await import('./commands/setup/init.ts')).addInitCommand],
  ['doctor', async () => (await import('./commands/setup/doctor.ts')).addDoctorCommand],
  ['upgrade', async () => (await import('./commands/setup/upgrade.ts')).addUpgradeCommand],
  ['account whoami', async () => (await import('./commands/account.ts')).addAccountCommands],
  ['key', async () => (await import('./commands/key.ts')).addKeyCommands],
  ['profile', async () => (await import('./commands/profile.ts')).addProfileCommands],
  ['name', async () => (await import('./commands/name.ts')).addNameCommands],
  ['cast delete react follow', async () => (await import('./commands/post.ts')).addPostCommands],
  ['storage', async () => (await import('./commands/storage.ts')).addStorageCommands],
  ['timeline show thread', async () => (await import('./commands/read.ts')).addReadCommands],
  ['events', async () => (await import('./commands/events.ts')).addEventsCommand],
  ['badge', async () => (await import('./commands/badge.ts')).addBadgeCommands],
  ['block unblock', async () => (await import('./commands/block.ts')).addBlockCommands],
  ['action', async () => (await import('./commands/action.ts')).addActionCommands],
  ['channel', async () => (await import('./commands/channel.ts')).addChannelCommands],
  ['platform', async () => (await import('./commands/portable.ts')).addPortableCommands],
  ['moderate', async () => (await import('./commands/moderate.ts')).addModerateCommands],
  ['reserve', async () => (await import('./commands/reserve.ts')).addReserveCommand],
  ['connect', async () => (await import('./commands/connect.ts')).addConnectCommand],
  ['approve deny', async () => (await import('./commands/approve.ts')).addApproveCommands],
  ['credit', async () => (await import('./commands/credit.ts')).addCreditCommand],
  ['invite', async () => (await import('./commands/invite.ts')).addInviteCommands],
  ['app', async () => (await import('./commands/app.ts')).addAppCommands],
  ['webhook', async () => (await import('./commands/webhook.ts')).addWebhookCommands],
  ['views', async () => (await import('./commands/views.ts')).addViewsCommands],
  ['mirror', async () => (await import('./commands/mirror/mirror.ts')).addMirrorCommands],
  ['token', async () => (await import('./commands/token.ts')).addTokenCommand],
  [
    'backup restore',
    async () => withEnvironment((await import('./commands/data/backup.ts')).addBackupCommands),
  ],
  [
    'export',
    async () => withEnvironment((await import('./commands/data/export.ts')).addExportCommand),
  ],
  [
    'verify',
    async () => withEnvironment((await import('./commands/data/verify.ts')).addVerifyCommand),
  ],
]

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
    for (const [, load] of groups) (await load())(program, config, env)
    const servers = { hub: config.hubUrl, app: config.appUrl }
    program.hook('preAction', (_, command) => resolveArguments(command, servers))
  }
  addCompletionCommand(program, env)
  for (const command of withSubcommands(program)) {
    addJsonOption(command)
    command.showHelpAfterError(`See: ${pathOf(command)} --help`)
    command.configureOutput({ writeOut: (text) => process.stdout.write(withHints(text)) })
  }
  return program
}

function groupsFor([first = '']: readonly string[]): readonly Group[] {
  if (['--version', '-V', 'completion'].includes(first)) return []
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
