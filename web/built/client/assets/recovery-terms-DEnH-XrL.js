import{r as e}from"./rolldown-runtime-XKyaHtl9.js";import{Fn as t,Jt as n,Kt as r,Mn as i}from"./common-Cb9Jo04O.js";import{a,s as o}from"./index-98sm7QJO.js";var s=e(t(),1),c=i(),l=(e,t)=>`Recovery kit of @${t} at ${location.host}
Made on ${new Date().toISOString().slice(0,10)}

${e.split(` `).map((e,t)=>`${String(t+1).padStart(2)}. ${e}`).join(`
`)}

Whoever has these 12 words has the account. Keep them offline, and show them to nobody:
no helper, operator or app ever needs them.

To get back in: open ${location.origin}/join/sign-in and choose "12 words".
They also work in any Ethereum wallet (path m/44'/60'/0'/0/0).
`;function u({words:e,name:t,onSaved:n}){let[r,i]=(0,s.useState)(!1),u=()=>{i(!0),a(void 0),n?.()};return(0,c.jsxs)(`div`,{className:`kit`,children:[(0,c.jsx)(`ol`,{className:`words`,children:e.split(` `).map((e,t)=>(0,c.jsx)(`li`,{children:e},t))}),(0,c.jsx)(o,{tone:`warn`,children:`Whoever has these words has your account. Nobody here will ever ask you for them.`}),(0,c.jsxs)(`p`,{className:`buttons`,children:[(0,c.jsx)(`button`,{type:`button`,className:`primary`,onClick:()=>{let n=URL.createObjectURL(new Blob([l(e,t)],{type:`text/plain`}));Object.assign(document.createElement(`a`),{href:n,download:`recovery-kit-${t}.txt`}).click(),setTimeout(()=>URL.revokeObjectURL(n),1e4),u()},children:`Download recovery kit`}),(0,c.jsx)(`button`,{type:`button`,className:`secondary`,onClick:u,children:`I have written them down`})]}),r&&(0,c.jsx)(o,{tone:`good`,children:`Saved. Keep it in a safe place, not only on this device.`})]})}var d=e=>n(`/accounts/v1/recovery`,{query:{fid:e}}),f=e=>n(`/accounts/v1/recovery/requests/${e}`).catch(e=>{if(!(e instanceof r&&e.status===404))throw e});export{d as n,u as r,f as t};