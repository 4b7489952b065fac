import type { Command } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { lendStorage } from '../../kernel/protocol/build.ts'
import { MAX_LENT_UNITS } from '../../kernel/protocol/kinds/lend-storage.ts'
import { personArgument, wholeNumber } from '../arguments.ts'
import { checkRegistered, type PostOptions, post, posting } from './writing/post.ts'

/** Adds storage lend. */
export function addStorageCommands(program: Command, config: ClientConfig): void {
  const storage = program
    .command('storage')
    .description('Storage units, which limit how many messages of an account are kept.')
    .addHelpText('after', '\nExample:\n  rookery storage lend bob 5 --fid 1')
  posting(storage.command('lend'), config)
    .summary('lend storage units of your account to another one')
    .description('In place of what you lend it already; 0 units end that.')
    .argument('<account>', 'fid or name of the borrower', personArgument)
    .argument('<units>', `0 to ${MAX_LENT_UNITS}`, wholeNumber(0, MAX_LENT_UNITS))
    .addHelpText('after', '\nExample:\n  rookery storage lend bob 5 --fid 1')
    .action(lend)
}

async function lend(toFid: number, units: number, options: PostOptions): Promise<void> {
  await checkRegistered(options, toFid)
  const what = units === 0 ? `end of lent storage` : `loan of ${units} units`
  await post(options, `${what} to fid ${toFid}`, (origin) => lendStorage(origin, { toFid, units }))
}
