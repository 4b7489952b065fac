import type { Command } from 'commander'
import type { ClientConfig } from '../../../config.ts'
import { BLOCK_LINK_TYPE } from '../../../kernel/protocol/block-links.ts'
import { linkAdd, linkRemove } from '../../../kernel/protocol/build.ts'
import { personArgument } from '../../arguments.ts'
import { Calls } from '../../calls.ts'
import { getJson, Refused } from '../../client.ts'
import { Failure } from '../../failure.ts'
import { printResult } from '../../output.ts'
import { at } from '../network.ts'
import { asUser, tokenOf, type UserOptions } from '../platform.ts'
import { findSigner, type Signer } from '../signer.ts'
import { authOption, checkRegistered, submitMessage } from './post.ts'

// A block is a link that other hubs and clients know. What the hub does not take from the key is a block of the platform,
// on that server only, as the app API and the web client do it.

/** Adds block and unblock. */
export function addBlockCommands(program: Command, config: ClientConfig): void {
  asUser(program.command('block'), config)
    .summary('block a user')
    .description(
      'The blocked user cannot answer, mention or follow you. Others see whom you block.',
    )
    .argument('<account>', 'fid or name', personArgument)
    .addOption(authOption(config))
    .addHelpText('after', '\nExample:\n  rookery block 7 --fid 1')
    .action(block)
  asUser(program.command('unblock'), config)
    .summary('unblock a user')
    .argument('<account>', 'fid or name', personArgument)
    .addOption(authOption(config))
    .addHelpText('after', '\nExample:\n  rookery unblock 7 --fid 1')
    .action(unblock)
}

async function block(blockFid: number, options: UserOptions): Promise<void> {
  const signer = await findSigner(options, options.fid)
  const { fid } = signer
  if (fid === blockFid) throw new Failure(`fid ${fid} cannot block itself`)
  await checkRegistered(options, blockFid)
  const refusal = await submitMessage(options, signer, (origin) =>
    linkAdd(origin, BLOCK_LINK_TYPE, blockFid),
  ).then(() => undefined, onlyRefused)
  if (refusal) await (await callsOf(options, signer)).ask('POST /fc/blocked-users', { blockFid })
  const where = refusal ? `, on ${new URL(options.platform).origin} only: ${refusal.message}` : ''
  printResult(
    options,
    { fid, blockFid, isLink: !refusal },
    `fid ${fid} blocks fid ${blockFid}${where}`,
  )
}

async function unblock(unblockFid: number, options: UserOptions): Promise<void> {
  const signer = await findSigner(options, options.fid)
  const { fid } = signer
  const query = `fid=${fid}&target_fid=${unblockFid}&link_type=${BLOCK_LINK_TYPE}`
  const link = await getJson(at(options.hub, `/v1/linkById?${query}`))
  if (link) {
    await submitMessage(options, signer, (origin) =>
      linkRemove(origin, BLOCK_LINK_TYPE, unblockFid),
    )
  }
  await (await callsOf(options, signer)).ask('DELETE /fc/blocked-users', { unblockFid })
  printResult(options, { fid, unblockFid }, `fid ${fid} does not block fid ${unblockFid}`)
}

function onlyRefused(error: unknown): Refused {
  if (error instanceof Refused) return error
  throw error
}

const callsOf = async (options: UserOptions, signer: Signer) =>
  new Calls<'platform'>({
    url: options.platform,
    credentials: { bearer: await tokenOf(options, signer) },
  })
