import { CopyButton } from './copy-button.tsx'
import { face } from './face.ts'
import { t } from './messages.ts'

/** Hands on a link: by the means of the device, where there are any, or copied. */
export const ShareLink = ({ link }: { link: string }) => (
  <span className="buttons">
    {'share' in navigator && (
      <button
        type="button"
        className="secondary"
        // Who closes the sheet of the device has changed their mind.
        onClick={() => navigator.share({ title: face.name, url: link }).catch(() => {})}
      >
        {t('Share the link')}
      </button>
    )}
    <CopyButton value={link} text={t('Copy the link')} isShown />
  </span>
)

/** What to do with an invite that was made, how often it can be used and until when. */
export const inviteText = (uses: number, date: string): string =>
  t(
    '{uses, plural, one {Send it to whom you invite: one person can join with it, until {date}.} other {Send it to whom you invite: # people can join with it, until {date}.}}',
    { uses, date },
  )
