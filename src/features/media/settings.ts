import {
  inBothModes,
  isHttpUrl,
  optionalSetting,
  parseInteger,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../../kernel/base/setting.ts'

/** A request is held in memory, and one client may have 16 MiB of requests there. */
export const MAX_VIDEO_MB = 15
const MAX_MB = 100_000_000

const settings = {
  mediaMbPerFid: setting({
    variable: 'ROOKERY_MEDIA_MB_PER_FID',
    what: 'Megabytes of pictures and videos that one fid may keep here; 0 takes none of members.',
    defaults: { development: '1000', production: '200' },
    parse: (text) => parseInteger(text, 0, MAX_MB),
    live: {
      title: 'Pictures and videos of each member',
      help: 'So much may one member keep here. Off: nobody uploads, and what is there stays.',
      unit: 'MB',
      off: '0',
      proposed: '100',
    },
  }),
  mediaMaxMb: setting({
    variable: 'ROOKERY_MEDIA_MAX_MB',
    what: 'The same for all together.',
    defaults: { development: '10000', production: '5000' },
    parse: (text) => parseInteger(text, 0, MAX_MB),
    live: {
      title: 'Pictures and videos of all together',
      help: 'Beyond it new ones are refused.',
      unit: 'MB',
    },
  }),
  mediaVideoMb: setting({
    variable: 'ROOKERY_MEDIA_VIDEO_MB',
    what: `Megabytes of the largest video, at most ${MAX_VIDEO_MB}; 0 takes no videos.`,
    defaults: inBothModes('12'),
    parse: (text) => parseInteger(text, 0, MAX_VIDEO_MB),
    live: {
      title: 'Largest video',
      help: `At most ${MAX_VIDEO_MB}. Off: pictures only.`,
      unit: 'MB',
      off: '0',
      proposed: '12',
      notAbove: 'ROOKERY_MEDIA_MB_PER_FID',
    },
  }),
  mediaS3: optionalSetting({
    variable: 'ROOKERY_MEDIA_S3_URL',
    what: 'Bucket of an S3-compatible storage for pictures and videos, in place of the database, with a key that may read, write and delete its objects: https://KEY:SECRET@host/bucket, and ?region= unless that is us-east-1. In KEY and SECRET write / as %2F and + as %2B. Do not change it while there are files.',
    parse: parseS3Url,
    secret: true,
  }),
}

export const MEDIA_SETTINGS = {
  title: 'Pictures and videos',
  settings,
} satisfies SettingGroup

/** A bucket and who may use it. */
export type S3Place = {
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const BUCKET = /^\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/

/** The message does not show the text. */
function parseS3Url(text: string): S3Place {
  const url = isHttpUrl(text) ? new URL(text) : undefined
  const [accessKeyId, secretAccessKey] = [url?.username, url?.password].map(decoded)
  if (!url || !accessKeyId || !secretAccessKey || !BUCKET.test(url.pathname)) {
    throw new Error('must be https://KEY:SECRET@host/bucket, with ?region= where it needs one')
  }
  return {
    endpoint: url.origin,
    bucket: url.pathname.slice(1),
    region: url.searchParams.get('region') || 'us-east-1',
    accessKeyId,
    secretAccessKey,
  }
}

/** Nothing for what is no text in percent encoding. */
function decoded(text = ''): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

export type MediaConfig = SettingValues<typeof settings>
