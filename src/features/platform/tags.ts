import type { Tag } from '../../kernel/http/route.ts'

// The groups of operations that the routes of several files belong to.

export const CHANNELS: Tag[] = [
  { name: 'Channels', description: 'Channels, and who follows them.' },
]

export const CHANNEL_ROLES: Tag[] = [
  {
    name: 'Channel roles',
    description: 'Who owns, moderates and belongs to a channel, and what moderators decide.',
  },
]

export const ACTIONS: Tag[] = [
  {
    name: 'Actions',
    description: 'Cast actions and composer actions, and which of them a user has installed.',
  },
]

export const KEY_REQUESTS: Tag[] = [
  {
    name: 'Signed key requests',
    description: 'How an app asks a user for a key, and how the user answers.',
  },
]

export const MINI_APPS: Tag[] = [
  {
    name: 'Mini apps',
    description:
      'Web apps that run inside clients: the catalogue, who has added them, and their notifications.',
  },
]
