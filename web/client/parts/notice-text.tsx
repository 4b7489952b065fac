import type { ReactNode } from 'react'
import type { NoticeType } from '../../../src/kernel/storage/views/notice-kinds.ts'
import { rich } from '../../shared/rich.tsx'

// What a notification says, whole.

type Told = {
  readonly who: ReactNode
  /** How many did the same besides them. */
  readonly others: number
  /** To how many posts they did it, which is one where there are others. */
  readonly count: number
}

export const NOTICE_TEXTS: Readonly<Record<NoticeType, (told: Told) => ReactNode>> = {
  follows: ({ who, others }) =>
    others === 0
      ? rich('{who} followed you', { who })
      : rich(
          '{others, plural, one {{who} and # other followed you} other {{who} and # others followed you}}',
          { who, others },
        ),
  likes: ({ who, others, count }) =>
    others > 0
      ? rich(
          '{others, plural, one {{who} and # other liked your {post}} other {{who} and # others liked your {post}}}',
          { who, others },
        )
      : count > 1
        ? rich(
            '{count, plural, one {{who} liked # of your {posts}} other {{who} liked # of your {posts}}}',
            { who, count },
          )
        : rich('{who} liked your {post}', { who }),
  recasts: ({ who, others, count }) =>
    others > 0
      ? rich(
          '{others, plural, one {{who} and # other {reposted} your {post}} other {{who} and # others {reposted} your {post}}}',
          { who, others },
        )
      : count > 1
        ? rich(
            '{count, plural, one {{who} {reposted} # of your {posts}} other {{who} {reposted} # of your {posts}}}',
            { who, count },
          )
        : rich('{who} {reposted} your {post}', { who }),
  mention: ({ who }) => rich('{who} mentioned you', { who }),
  reply: ({ who }) => rich('{who} replied to you', { who }),
  quote: ({ who }) => rich('{who} quoted you', { who }),
}
