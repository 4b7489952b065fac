import { type Command, InvalidArgumentError } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { hint, note, oneLine, print, printJson } from '../output.ts'
import { asOperator, type OperatorOptions, operatorCaller } from './operator.ts'

const LABEL_CHARACTERS = 100

type Options = OperatorOptions & { json?: true }
/** As the operations interface gives it. */
type Invite = { id: string; label: string; uses: number; usesLeft: number; expiresAt: number }

/** Adds invite create, list and revoke: who may register where ROOKERY_SIGNUP is invite. */
export function addInviteCommands(program: Command, config: ClientConfig): void {
  const ask = operatorCaller(config)
  const invite = program
    .command('invite')
    .description('Invites, with which users may register (operator). Sends ROOKERY_OPS_TOKEN.')
    .addHelpText('after', '\nExample:\n  rookery invite create --uses 5')
  const operator = (command: Command) =>
    asOperator(command, config).option('--json', 'print the answer of the server as JSON')

  operator(invite.command('create'))
    .summary('create an invite and print its code')
    .option('--uses <n>', 'accounts that may be registered with it', countArgument, 1)
    .option('--days <n>', 'days until it expires', countArgument, 7)
    .option('--label <text>', 'note for the list', '')
    .addHelpText('after', '\nExample:\n  rookery invite create --uses 5 --days 7')
    .action(async (options: Options & { uses: number; days: number; label: string }) => {
      const { uses, days, label } = options
      const body = { uses, days, label }
      const created = await ask(options, { method: 'POST', path: '/accounts/invites', body })
      if (options.json) return printJson(created)
      print(created.code)
      note(`Give it to your users: ${hint(`account create --invite ${created.code}`)}`)
    })
  operator(invite.command('list'))
    .summary('print the invites, the newest first')
    .addHelpText('after', '\nExample:\n  rookery invite list')
    .action(async (options: Options) => {
      const { invites } = await ask(options, { path: '/accounts/invites' })
      for (const one of invites) {
        if (options.json) printJson(one)
        else print(lineOf(one))
      }
    })
  operator(invite.command('revoke'))
    .summary('revoke an invite')
    .argument('<id>', 'id of the invite, as the list prints it')
    .addHelpText('after', `\nExample:\n  rookery invite revoke 0x${'0'.repeat(36)}1234`)
    .action(async (id: string, options: Options) => {
      const path = `/accounts/invites/${encodeURIComponent(id)}`
      const answer = await ask(options, { method: 'DELETE', path })
      if (options.json) printJson(answer)
      else print(`${id} is revoked`)
    })
}

function lineOf({ id, label, uses, usesLeft, expiresAt }: Invite): string {
  const until = new Date(expiresAt).toISOString().slice(0, 16)
  const note = label === '' ? '' : ` ${oneLine(label, LABEL_CHARACTERS)}`
  return `${id} ${usesLeft} of ${uses} uses left until ${until}Z${note}`
}

function countArgument(text: string): number {
  const count = Number(text)
  if (/^\d+$/.test(text) && count >= 1 && Number.isSafeInteger(count)) return count
  throw new InvalidArgumentError('It is a whole number, 1 or more.')
}
