import type { Command } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { personArgument } from '../arguments.ts'
import { printResult } from '../output.ts'
import { askAsUser, asUser, type UserOptions } from './platform.ts'

type BlockOptions = UserOptions & { readonly json?: true }

/** Adds block and unblock. */
export function addBlockCommands(program: Command, config: ClientConfig): void {
  const command = (name: string, summary: string) =>
    asUser(program.command(name), config)
      .summary(summary)
      .argument('<fid>', `fid to ${name}`, personArgument)
      .addHelpText('after', `\nExample:\n  rookery ${name} 7 --fid 1`)

  command('block', 'block a user from replying to you, mentioning you and quoting you').action(
    async (blockFid: number, options: BlockOptions) => {
      const call = { method: 'POST', path: '/fc/blocked-users', body: { blockFid } }
      const { fid } = await askAsUser(options, call)
      printResult(options, { fid, blockFid }, `fid ${fid} blocks fid ${blockFid}`)
    },
  )
  command('unblock', 'unblock a user').action(async (unblockFid: number, options: BlockOptions) => {
    const call = { method: 'DELETE', path: '/fc/blocked-users', body: { unblockFid } }
    const { fid } = await askAsUser(options, call)
    printResult(options, { fid, unblockFid }, `fid ${fid} does not block fid ${unblockFid}`)
  })
}
