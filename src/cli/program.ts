import { Command } from 'commander'
import { readClientConfig } from '../config.ts'
import { VERSION } from '../version.ts'
import { addAccountCommands } from './account.ts'
import { addActionCommands } from './action.ts'
import { addApproveCommands } from './approve.ts'
import { addBadgeCommands } from './badge.ts'
import { addBlockCommands } from './block.ts'
import { addChannelCommands } from './channel.ts'
import { addConnectCommand } from './connect.ts'
import { addCreditCommand } from './credit.ts'
import { addEventsCommand } from './events.ts'
import { addInviteCommands } from './invite.ts'
import { addModerateCommands } from './moderate.ts'
import { addNameCommands } from './name.ts'
import { addPortableCommands } from './portable.ts'
import { addPostCommands } from './post.ts'
import { addReserveCommand } from './reserve.ts'
import { addServerCommands } from './server.ts'
import { addTokenCommand } from './token.ts'
import { addVerifyCommand } from './verify.ts'

/** The command line. All that it may know of the environment is passed in. */
export function createProgram(env: Readonly<Record<string, string | undefined>>): Command {
  const program = new Command('rookery')
    .description('A social network back end, compatible with Farcaster, that one person can run.')
    .version(VERSION)
    .helpCommand(false)
    .exitOverride()
  const config = readClientConfig(env)
  addServerCommands(program, env)
  addAccountCommands(program, config)
  addNameCommands(program, config)
  addPostCommands(program, config)
  addEventsCommand(program, config)
  addBadgeCommands(program, config)
  addBlockCommands(program, config)
  addActionCommands(program, config)
  addChannelCommands(program, config)
  addPortableCommands(program, config)
  addModerateCommands(program, config)
  addReserveCommand(program, config)
  addConnectCommand(program, config)
  addApproveCommands(program, config)
  addCreditCommand(program, config)
  addInviteCommands(program, config)
  addTokenCommand(program, config)
  addVerifyCommand(program, env)
  for (const command of withSubcommands(program)) {
    command.showHelpAfterError(`See: ${pathOf(command)} --help`)
  }
  return program
}

const withSubcommands = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap(withSubcommands),
]

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
