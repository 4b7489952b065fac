import type { Command } from 'commander'
import type { AnswerOf } from '../../client/client.ts'
import type { PlatformOperations } from '../../client/generated/platform.ts'
import type { ClientConfig } from '../../config.ts'
import { personArgument } from '../arguments.ts'
import { group } from '../call-command.ts'
import { Calls } from '../calls.ts'
import { oneLine, printResult } from '../output.ts'
import { type PlatformTarget, userCall, withPlatform } from './platform.ts'

const MAX_NAME_CHARACTERS = 32

const create = userCall('create', 'POST /fc/channels', {
  example: 'birds --name "All birds"',
  args: ['channelId'],
  fields: {
    name: { help: 'display name (default: its id)' },
    imageUrl: { help: 'URL of its picture' },
    headerImageUrl: { help: 'URL of the picture at the head of its page' },
  },
  take: ({ result }) => result.channel,
  line: ({ leadFid, id, url }) => `fid ${leadFid} owns ${id}; its casts have the parent ${url}`,
})

const follow = userCall('follow', 'POST /fc/channel-follows', {
  example: 'birds --fid 2',
  args: ['channelId'],
  fixed: { channelKey: undefined },
  take: (_, { channelId }, fid) => ({ fid, channelId }),
  line: ({ fid, channelId }) => `fid ${fid} follows ${channelId}`,
})

const unfollow = userCall('unfollow', 'DELETE /fc/channel-follows', {
  example: 'birds --fid 2',
  args: ['channelId'],
  fixed: { channelKey: undefined },
  take: (_, { channelId }, fid) => ({ fid, channelId }),
  line: ({ fid, channelId }) => `fid ${fid} does not follow ${channelId}`,
})

function addList(channel: Command, config: ClientConfig): void {
  withPlatform(channel.command('list'), config)
    .summary('list channels')
    .option('--followed-by <fid>', 'only channels that this fid follows', personArgument)
    .addHelpText('after', '\nExample:\n  rookery channel list --followed-by 2')
    .action(list)
}

type ListOptions = PlatformTarget & { readonly followedBy?: number }

async function list({ followedBy: fid, platform: url, ...options }: ListOptions): Promise<void> {
  const calls = new Calls<'platform'>({ url })
  const pages =
    fid === undefined
      ? calls.pages('GET /v2/all-channels')
      : calls.pages('GET /v1/user-following-channels', { fid, limit: 100 })
  for await (const { result } of pages) {
    for (const channel of result.channels) printResult(options, channel, lineOf(channel))
  }
}

type Channel = AnswerOf<PlatformOperations['get'], '/v2/all-channels'>['result']['channels'][number]

const lineOf = ({ id, name, followerCount, leadFid }: Channel): string =>
  `${id} "${oneLine(name, MAX_NAME_CHARACTERS)}" ${followerCount} followers, ` +
  (leadFid === undefined ? 'it has no owner' : `owned by fid ${leadFid}`)

export const addChannelCommands = group(
  'channel',
  'Channels of the client platform.',
  'follow birds --fid 2',
  [create, follow, unfollow, addList],
)
