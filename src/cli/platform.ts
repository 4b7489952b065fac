import type { Command } from 'commander'
import type { ClientConfig } from '../config.ts'
import { signToken } from '../platform/sign.ts'
import { fidArgument } from './arguments.ts'
import { askWithToken } from './client.ts'
import { at, networkNow, type Target, withTarget } from './network.ts'
import { findSigner, type Signer } from './signer.ts'

/** Long enough for one call. */
export const TOKEN_SECONDS = 300

export type PlatformTarget = Target & { readonly platform: string }
export type UserOptions = PlatformTarget & { readonly fid?: number }

/** The options of commands that ask the client platform. */
export const withPlatform = (command: Command, config: ClientConfig): Command =>
  withTarget(command, config).option(
    '--platform <url>',
    'address of the client platform',
    config.platformUrl,
  )

/** The options of commands that act for a user there. */
export const asUser = (command: Command, config: ClientConfig): Command =>
  withPlatform(command, config).option(
    '--fid <fid>',
    'who acts; your newest account, or fid 1 of npm start',
    fidArgument,
  )

type Call = { readonly method: string; readonly path: string; readonly body?: object }

/** Calls the client platform with a token of the user's own; says for whom, and what it answered. */
export async function askAsUser(options: UserOptions, { method, path, body }: Call) {
  const signer = await findSigner(options, options.fid)
  const token = await tokenOf(options, signer)
  const answer = await askWithToken(at(options.platform, path), { method, token, body })
  return { fid: signer.fid, answer }
}

/** A token of the user's app key, by the network's own clock. */
export async function tokenOf(
  options: UserOptions,
  signer: Signer,
  seconds = TOKEN_SECONDS,
): Promise<string> {
  const now = Math.floor((await networkNow(options)) / 1000)
  return signToken(signer, { expiresAt: now + seconds })
}
