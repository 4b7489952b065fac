// The reads of the app API, as its specification lists them: what a request needs, its page, and what an unknown subject gets.

const HASH = `0x${'ab'.repeat(20)}`
const ADDRESS = `0x${'cd'.repeat(20)}`
/** No account has it. */
const FID = '4000000000'

/** How an unknown subject is answered: by a list without entries, or by 404. */
type Unknown = 'empty' | 'not found' | 'other'

export type Operation = {
  readonly path: string
  /** What a request must have, with a well-formed value of something that does not exist. */
  readonly needs: Readonly<Record<string, string>>
  /** The default and the maximum of `limit`. */
  readonly page?: readonly [standard: number, max: number]
  readonly unknown: Unknown
}

const list = (
  path: string,
  needs: Operation['needs'],
  page?: Operation['page'],
  unknown: Unknown = 'empty',
): Operation => ({ path, needs, unknown, ...(page && { page }) })
const single = (path: string, needs: Operation['needs']) =>
  list(path, needs, undefined, 'not found')

const CAST = { identifier: HASH, type: 'hash' }

export const READS: readonly Operation[] = [
  list('/user/bulk', { fids: FID }),
  list('/user/bulk-by-address', { addresses: ADDRESS }),
  list('/user/by_x_username', { x_username: 'nobody_has_it' }),
  list('/user/by_location', { latitude: '-89.5', longitude: '0.5' }, [25, 100]),
  list('/user/interactions', { fids: `${FID},3999999999` }),
  list('/user/best_friends', { fid: FID }, [3, 100]),
  list('/cast/metrics', { q: 'zzzz' }, undefined, 'other'),
  single('/user/by_username', { username: 'nobody-has-it' }),
  single('/user/custody-address', { custody_address: ADDRESS }),
  list('/user/search', { q: 'zzzz' }, [5, 10]),
  list('/user/verifications', { fid: FID }),
  list('/fname/availability', { fname: 'unheard' }, undefined, 'other'),
  single('/storage/usage', { fid: FID }),
  list('/storage/allocations', { fid: FID }),
  single('/cast', CAST),
  list('/casts', { casts: HASH }),
  list('/cast/conversation', CAST, [20, 50], 'not found'),
  list('/cast/search', { q: 'zzzz' }, [25, 100]),
  list('/cast/quotes', CAST, [25, 100], 'not found'),
  list('/feed/following', { fid: FID }, [25, 100]),
  list('/feed', { fid: FID }, [25, 100]),
  list('/feed/user/casts', { fid: FID }, [25, 150]),
  list('/feed/user/replies_and_recasts', { fid: FID }, [25, 50]),
  list('/feed/user/popular', { fid: FID }),
  list('/feed/channels', { channel_ids: 'unheard' }, [25, 100]),
  list('/feed/parent_urls', { parent_urls: 'https://a.example/x,y' }, [25, 100]),
  list('/feed/trending', {}, [10, 10]),
  list('/feed/for_you', { fid: FID }, [25, 50]),
  list('/reactions/cast', { hash: HASH, types: 'all' }, [25, 100], 'not found'),
  list('/reactions/user', { fid: FID, type: 'all' }, [25, 100]),
  list('/followers', { fid: FID }, [20, 100]),
  list('/following', { fid: FID }, [25, 100]),
  list('/followers/reciprocal', { fid: FID }, [25, 100]),
  list('/followers/relevant', { target_fid: FID }),
  list('/following/suggested', { fid: FID }, [25, 100]),
  list('/block/list', { blocker_fid: FID }, [20, 100]),
  list('/mute/list', { fid: FID }, [20, 100]),
  list('/ban/list', {}, [20, 100]),
  single('/channel', { id: 'unheard' }),
  list('/channel/bulk', { ids: 'unheard' }),
  list('/channel/list', {}, [20, 200]),
  list('/channel/search', { q: 'unheard' }, [20, 200]),
  list('/channel/followers', { id: 'unheard' }, [25, 1000], 'not found'),
  list('/channel/followers/relevant', { id: 'unheard', viewer_fid: FID }, undefined, 'not found'),
  list('/channel/member/list', { channel_id: 'unheard' }, [20, 100], 'not found'),
  list('/channel/member/invite/list', { channel_id: 'unheard' }, [20, 100]),
  list('/channel/trending', {}, [10, 25]),
  list('/channel/user', { fid: FID }, [20, 100]),
  list('/user/channels', { fid: FID }, [25, 100]),
  list('/user/memberships/list', { fid: FID }, [20, 100]),
  list('/frame/catalog', {}, [100, 100], 'other'),
  list('/frame/search', { q: 'zzzz' }, [20, 100]),
  list('/frame/relevant', { viewer_fid: FID }),
  list('/frame/notifications', {}, [100, 1000]),
  list('/frame/notification_tokens', {}, [20, 100]),
  list('/notifications', { fid: FID }, [15, 25]),
  list('/notifications/channel', { fid: FID, channel_ids: 'unheard' }, [15, 25]),
  list('/notifications/parent_url', { fid: FID, parent_urls: 'https://a.example/x' }, [15, 25]),
]

/** A value of each parameter that no operation takes. */
export const WRONG_VALUES: readonly (readonly [path: string, parameter: string, value: string])[] =
  [
    ['/user/bulk', 'fids', Array(101).fill('1').join()],
    ['/user/bulk', 'fids', '1,,2'],
    ['/user/bulk', 'fids', '0'],
    ['/user/bulk', 'viewer_fid', '-1'],
    ['/user/bulk-by-address', 'addresses', Array(351).fill(ADDRESS).join()],
    ['/user/bulk-by-address', 'addresses', '0x12'],
    ['/user/bulk-by-address', 'address_types', 'home_address'],
    ['/user/search', 'q', 'x'.repeat(65)],
    ['/user/by_x_username', 'x_username', 'x'.repeat(17)],
    ['/user/by_location', 'latitude', '90.1'],
    ['/user/by_location', 'longitude', 'east'],
    ['/user/interactions', 'fids', '1,2,3'],
    ['/user/interactions', 'type', 'pokes'],
    ['/cast/metrics', 'interval', '2d'],
    ['/cast/metrics', 'q', '-only'],
    ['/cast', 'identifier', '0x12'],
    ['/cast', 'type', 'name'],
    ['/casts', 'casts', Array(101).fill(HASH).join()],
    ['/casts', 'sort_type', 'size'],
    ['/cast/conversation', 'reply_depth', '6'],
    ['/cast/conversation', 'sort_type', 'newest'],
    ['/cast/conversation', 'fold', 'middle'],
    ['/cast/search', 'q', 'x'.repeat(501)],
    ['/cast/search', 'q', '-only'],
    ['/cast/search', 'mode', 'loud'],
    ['/feed', 'feed_type', 'all'],
    ['/feed/user/replies_and_recasts', 'filter', 'likes'],
    ['/feed/channels', 'channel_ids', Array(11).fill('unheard').join()],
    ['/feed/channels', 'fids', Array(11).fill('1').join()],
    ['/feed/channels', 'with_replies', 'maybe'],
    ['/feed/parent_urls', 'parent_urls', Array(11).fill('https://a.example').join()],
    ['/feed/trending', 'time_window', '2h'],
    ['/feed/trending', 'time_window', '7d'],
    ['/feed/trending', 'provider', 'other'],
    ['/reactions/cast', 'types', 'likes,dislikes'],
    ['/channel/bulk', 'ids', Array(101).fill('unheard').join()],
    ['/channel', 'type', 'name'],
    ['/channel/trending', 'time_window', '2d'],
    ['/frame/catalog', 'time_window', '2d'],
    ['/frame/catalog', 'categories', 'fun'],
    ['/frame/search', 'networks', 'moon'],
    ['/notifications', 'type', 'pokes'],
  ]

/** Calls that are answered NotSupported, each with one method. */
export const LEFT_OUT: readonly string[] = [
  ...['/cast/conversation/summary', '/feed/topic', '/topic/x'],
  ...['/user/subscribed_to', '/user/subscriptions_created', '/user/balance'],
  ...['/storage/buy', '/login/authorize', '/auth_address/x'],
  ...['/action', '/frame/transaction/pay', '/fungible/trades', '/fungibles', '/nft/x'],
].map((path) => `/v2/farcaster${path}`)
