import type { Command } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { signToken } from '../../kernel/platform/sign.ts'
import { ACT_AS, personArgument } from '../arguments.ts'
import { callsOf } from '../call-command.ts'
import { Calls } from '../calls.ts'
import { networkNow, serverOption, type Target, withTarget } from './network.ts'
import { findSigner, type Signer } from './signer.ts'

/** Lifetime of a token that is made for one call. */
export const TOKEN_SECONDS = 300

export type PlatformTarget = Target & { readonly platform: string; readonly json?: true }
export type UserOptions = PlatformTarget & { readonly fid?: number }

/** Adds the options of commands that call the client platform. */
export const withPlatform = (command: Command, config: ClientConfig): Command =>
  withTarget(command, config).addOption(
    serverOption('--platform <url>', 'address of the client platform', config.platformUrl),
  )

/** Adds the options of commands that act for a user on the client platform. */
export const asUser = (command: Command, config: ClientConfig): Command =>
  withPlatform(command, config).option('--fid <fid>', ACT_AS, personArgument)

/** Declares a command that makes one call of the client platform with a token of the user. */
export const userCall = callsOf({
  name: 'platform',
  addOptions: asUser,
  connect: async (options: UserOptions) => {
    const signer = await findSigner(options, options.fid)
    const credentials = { bearer: await tokenOf(options, signer) }
    return { calls: new Calls<'platform'>({ url: options.platform, credentials }), fid: signer.fid }
  },
})

/** A token signed by the user's app key; it expires by the network's clock. */
export async function tokenOf(
  options: UserOptions,
  signer: Signer,
  seconds = TOKEN_SECONDS,
): Promise<string> {
  const now = Math.floor((await networkNow(options)) / 1000)
  return signToken(signer, { expiresAt: now + seconds })
}
