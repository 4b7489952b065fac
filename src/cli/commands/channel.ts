import type { Command } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { channelIdArgument, personArgument } from '../arguments.ts'
import { getJson } from '../client.ts'
import { oneLine, print, printJson, printResult } from '../output.ts'
import { at } from './network.ts'
import {
  askAsUser,
  asUser,
  type PlatformTarget,
  type UserOptions,
  withPlatform,
} from './platform.ts'

const MAX_NAME_CHARACTERS = 32

type CreateOptions = UserOptions & {
  readonly name?: string
  readonly description?: string
  readonly image?: string
  readonly url?: string
  readonly json?: true
}
type ListOptions = PlatformTarget & { readonly followedBy?: number; readonly json?: true }
/** As the platform publishes it. */
type Channel = { id: string; name: string; followerCount: number; leadFid?: number }

/** Adds channel create, follow, unfollow and list. */
export function addChannelCommands(program: Command, config: ClientConfig): void {
  const channel = program
    .command('channel')
    .description('Channels of the client platform.')
    .addHelpText('after', '\nExample:\n  rookery channel follow birds --fid 2')
  const acting = (name: string, summary: string) =>
    asUser(channel.command(name), config)
      .summary(summary)
      .argument('<id>', '1 to 16 characters of a-z, 0-9 and -', channelIdArgument)

  acting('create', 'create a channel, which you own')
    .option('--name <name>', 'display name (default: its id)')
    .option('--description <text>', 'description')
    .option('--image <url>', 'URL of its picture')
    .option('--url <url>', 'parent URL of its casts (default: its page on this server)')
    .option('--json', 'print the channel as JSON')
    .addHelpText('after', '\nExample:\n  rookery channel create birds --name "All birds"')
    .action(create)
  acting('follow', 'follow a channel')
    .addHelpText('after', '\nExample:\n  rookery channel follow birds --fid 2')
    .action(async (channelId: string, options: UserOptions & { json?: true }) => {
      const call = { method: 'POST', path: '/fc/channel-follows', body: { channelId } }
      const { fid } = await askAsUser(options, call)
      printResult(options, { fid, channelId }, `fid ${fid} follows ${channelId}`)
    })
  acting('unfollow', 'unfollow a channel')
    .addHelpText('after', '\nExample:\n  rookery channel unfollow birds --fid 2')
    .action(async (channelId: string, options: UserOptions & { json?: true }) => {
      const call = { method: 'DELETE', path: '/fc/channel-follows', body: { channelId } }
      const { fid } = await askAsUser(options, call)
      printResult(options, { fid, channelId }, `fid ${fid} does not follow ${channelId}`)
    })
  withPlatform(channel.command('list'), config)
    .summary('list channels')
    .option('--followed-by <fid>', 'only channels that this fid follows', personArgument)
    .option('--json', 'print each channel as JSON')
    .addHelpText('after', '\nExample:\n  rookery channel list --followed-by 2')
    .action(list)
}

async function create(channelId: string, options: CreateOptions): Promise<void> {
  const { name, description, image: imageUrl, url } = options
  const body = { channelId, name, description, imageUrl, url }
  const call = { method: 'POST', path: '/fc/channels', body }
  const { fid, answer } = await askAsUser(options, call)
  const { channel } = answer.result
  if (options.json) printJson(channel)
  else print(`fid ${fid} owns ${channel.id}; its casts have the parent ${channel.url}`)
}

async function list(options: ListOptions): Promise<void> {
  const { followedBy } = options
  if (followedBy === undefined) {
    const { result } = await getJson(at(options.platform, '/v2/all-channels'))
    printAll(result.channels, options)
    return
  }
  for (let cursor = ''; ; ) {
    const path = `/v1/user-following-channels?fid=${followedBy}&limit=100${cursor}`
    const { result, next } = await getJson(at(options.platform, path))
    printAll(result.channels, options)
    if (!next?.cursor) return
    cursor = `&cursor=${next.cursor}`
  }
}

function printAll(channels: readonly Channel[], { json }: ListOptions): void {
  for (const channel of channels) {
    if (json) printJson(channel)
    else print(lineOf(channel))
  }
}

const lineOf = ({ id, name, followerCount, leadFid }: Channel): string =>
  `${id} "${oneLine(name, MAX_NAME_CHARACTERS)}" ${followerCount} followers, ` +
  (leadFid === undefined ? 'it has no owner' : `owned by fid ${leadFid}`)
