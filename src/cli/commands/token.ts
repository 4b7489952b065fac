import type { Command } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { wholeNumber } from '../arguments.ts'
import { printResult } from '../output.ts'
import { asUser, TOKEN_SECONDS, tokenOf, type UserOptions } from './platform.ts'
import { findSigner } from './signer.ts'

/** Adds token, which makes a bearer token for curl. */
export function addTokenCommand(program: Command, config: ClientConfig): void {
  asUser(program.command('token'), config)
    .summary('print a bearer token of a user for the client platform')
    .description('Anyone with the token can act for the user until it expires. Do not store it.')
    .option('--seconds <n>', 'lifetime in seconds', wholeNumber(1), TOKEN_SECONDS)
    .addHelpText(
      'after',
      '\nExample:\n  curl -H "authorization: Bearer $(rookery token)" http://127.0.0.1:2286/fc/installed-actions',
    )
    .action(async ({ seconds, ...options }: UserOptions & { seconds: number }) => {
      const signer = await findSigner(options, options.fid)
      const token = await tokenOf(options, signer, seconds)
      printResult(options, { fid: signer.fid, token }, token)
    })
}
