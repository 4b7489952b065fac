import type { Command } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { signToken } from '../../platform/sign.ts'
import { ACT_AS, personArgument } from '../arguments.ts'
import { askWithToken } from '../client.ts'
import { at, networkNow, type Target, withTarget } from './network.ts'
import { findSigner, type Signer } from './signer.ts'

/** Lifetime of a token that is made for one call. */
export const TOKEN_SECONDS = 300

export type PlatformTarget = Target & { readonly platform: string }
export type UserOptions = PlatformTarget & { readonly fid?: number }

/** Adds the options of commands that call the client platform. */
export const withPlatform = (command: Command, config: ClientConfig): Command =>
  withTarget(command, config).option(
    '--platform <url>',
    'address of the client platform',
    config.platformUrl,
  )

/** Adds the options of commands that act for a user on the client platform. */
export const asUser = (command: Command, config: ClientConfig): Command =>
  withPlatform(command, config).option('--fid <fid>', ACT_AS, personArgument)

type Call = { readonly method: string; readonly path: string; readonly body?: object }

/** Calls the client platform with a token of the user. Returns the user's fid and the answer. */
export async function askAsUser(options: UserOptions, { method, path, body }: Call) {
  const signer = await findSigner(options, options.fid)
  const token = await tokenOf(options, signer)
  const answer = await askWithToken(at(options.platform, path), { method, token, body })
  return { fid: signer.fid, answer }
}

/** A token signed by the user's app key; it expires by the network's clock. */
export async function tokenOf(
  options: UserOptions,
  signer: Signer,
  seconds = TOKEN_SECONDS,
): Promise<string> {
  const now = Math.floor((await networkNow(options)) / 1000)
  return signToken(signer, { expiresAt: now + seconds })
}
