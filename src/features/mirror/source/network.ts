import { decodeMessage } from '../../../kernel/protocol/codec/decode.ts'
import { networkName } from '../../../kernel/protocol/network-name.ts'
import type { Network } from '../../../kernel/protocol/wire/message_pb.js'
import type { SourceInfo, SourcePort } from './source.ts'

/** Of so many people at most a message is looked for. */
const ASKED = 10

/**
 * The network that the messages of the source are of. Hubs do not say which theirs is, so some of the first and of the
 * last people are asked for a message each; undefined when there are none, or when they are of several: hubs of development
 * take messages of any network.
 */
export async function networkOf(
  source: SourcePort,
  { shards }: Pick<SourceInfo, 'shards'>,
): Promise<Network | undefined> {
  const found = new Set<Network>()
  for (const fid of (await someFids(source, shards)).slice(0, ASKED)) {
    const message = await firstMessage(source, fid)
    if (message) found.add(decodeMessage(message).data.network)
  }
  return found.size === 1 ? [...found][0] : undefined
}

async function firstMessage(source: SourcePort, fid: number): Promise<Uint8Array | undefined> {
  for (const method of ['GetAllUserDataMessagesByFid', 'GetAllCastMessagesByFid'] as const) {
    const { value } = await source.messages(method, fid).next()
    const [message] = (value ?? []) as readonly Uint8Array[]
    if (message) return message
  }
  return undefined
}

/** The oldest and the newest people of each shard: who came early has written more. */
export async function someFids(
  source: SourcePort,
  shards: SourceInfo['shards'],
): Promise<number[]> {
  const fids = new Set<number>()
  for (const { shard } of shards) {
    for (const reverse of [false, true]) {
      const { value } = await source.fids(shard, reverse).next()
      for (const fid of value ?? []) fids.add(fid)
    }
  }
  return [...fids]
}

/** What to do where the source is of another network than this server. */
export const otherNetwork = (network: Network, own: Network): string =>
  `The source is of another network, ${networkName(network)}, and this server of ${networkName(own)}: set ROOKERY_NETWORK=${networkName(network)} and begin with an empty store.`
