import {
  type GivenSettings,
  inBothModes,
  optionalSetting,
  parseHttpUrl,
  parseInteger,
  parseMatching,
  parseNonEmpty,
  requireSetting,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../../kernel/base/setting.ts'

/** A request is held in memory, and one client may have 16 MiB of requests there. */
const MAX_VIDEO_MB = 15
const MAX_MB = 100_000_000

const settings = {
  mediaMbPerFid: setting({
    variable: 'ROOKERY_MEDIA_MB_PER_FID',
    what: 'Megabytes of pictures and videos that one fid may keep here; 0 takes none of anybody.',
    defaults: { development: '1000', production: '200' },
    parse: (text) => parseInteger(text, 0, MAX_MB),
  }),
  mediaMaxMb: setting({
    variable: 'ROOKERY_MEDIA_MAX_MB',
    what: 'The same for all together.',
    defaults: { development: '10000', production: '5000' },
    parse: (text) => parseInteger(text, 0, MAX_MB),
  }),
  mediaVideoMb: setting({
    variable: 'ROOKERY_MEDIA_VIDEO_MB',
    what: `Megabytes of the largest video, at most ${MAX_VIDEO_MB}; 0 takes no videos.`,
    defaults: inBothModes('12'),
    parse: (text) => parseInteger(text, 0, MAX_VIDEO_MB),
  }),
  mediaS3Bucket: optionalSetting({
    variable: 'ROOKERY_MEDIA_S3_BUCKET',
    what: 'Bucket of an S3-compatible storage for pictures and videos, in place of the database. Do not change it while there are any.',
    parse: (text) =>
      parseMatching(text, /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket'),
  }),
  mediaS3Endpoint: optionalSetting({
    variable: 'ROOKERY_MEDIA_S3_ENDPOINT',
    what: 'Its address, unless it is that of Amazon.',
    parse: parseHttpUrl,
  }),
  mediaS3Region: setting({
    variable: 'ROOKERY_MEDIA_S3_REGION',
    what: 'Its region.',
    defaults: inBothModes('us-east-1'),
    parse: parseNonEmpty,
  }),
  mediaS3AccessKey: optionalSetting({
    variable: 'ROOKERY_MEDIA_S3_ACCESS_KEY',
    what: 'The id of a key that may read, write and delete objects of the bucket.',
    parse: parseNonEmpty,
  }),
  mediaS3SecretKey: optionalSetting({
    variable: 'ROOKERY_MEDIA_S3_SECRET_KEY',
    what: 'The secret of that key.',
    parse: parseNonEmpty,
    secret: true,
  }),
}

export const MEDIA_SETTINGS = {
  title: 'Pictures and videos',
  settings,
  check: (given: GivenSettings) => [
    ...requireSetting(given, settings.mediaS3Bucket, [
      settings.mediaS3Endpoint,
      settings.mediaS3AccessKey,
      settings.mediaS3SecretKey,
    ]),
    ...missingKeys(given),
  ],
} satisfies SettingGroup

function missingKeys({ isGiven }: GivenSettings): string[] {
  if (!isGiven(settings.mediaS3Bucket)) return []
  return [settings.mediaS3AccessKey, settings.mediaS3SecretKey]
    .filter((needed) => !isGiven(needed))
    .map(({ variable, what }) => `${variable} is missing. ${what}`)
}

export type MediaConfig = SettingValues<typeof settings>
