import { face } from '../../shared/face.ts'
import { unreadText, useUnread } from '../unread.ts'

/** The title of the document, with the number of new notifications; React puts it into the head. */
export const Title = ({ children }: { children: string }) => {
  const unread = useUnread()
  const count = unread > 0 ? `(${unreadText(unread)}) ` : ''
  return <title>{`${count}${children} – ${face.name}`}</title>
}
