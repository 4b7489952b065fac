import { show } from '../shared/page.tsx'
import { SignInPage } from './sign-in-page.tsx'

const token = new URLSearchParams(location.search).get('channelToken')
show(<SignInPage token={token || undefined} />)
