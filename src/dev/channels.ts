import type { Services } from '../app.ts'
import { CHANNELS as CHANNELS_OF_SERVER } from '../features/channels/port.ts'

// Creates a few channels with owners and followers, by the same calls that operator and users make.

const CHANNELS = [
  {
    channelId: 'rookery',
    name: 'The rookery',
    description: 'About this place, and how to run one.',
    owner: 1,
    members: [2],
    followers: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  },
  {
    channelId: 'wetlands',
    name: 'Wetlands',
    description: 'Reeds, fog, tides.',
    owner: 7,
    members: [3],
    followers: [3, 4, 7, 10],
  },
  {
    channelId: 'cold-rooms',
    name: 'Cold rooms',
    description: 'Servers and those who keep them company.',
    owner: 8,
    members: [],
    followers: [1, 6, 8],
  },
] as const

export async function seedChannels({ of }: Pick<Services, 'of'>): Promise<void> {
  const channels = of(CHANNELS_OF_SERVER)
  for (const { owner, members, followers, ...texts } of CHANNELS) {
    const { channelId } = texts
    await channels.createFor({ ...texts, ownerFid: owner })
    for (const fid of followers) await channels.follow(fid, channelId)
    for (const fid of members) {
      const invitation = { channelId, fid, role: 'member' } as const
      await channels.invite(owner, invitation)
      await channels.answer(invitation, true)
    }
  }
}
