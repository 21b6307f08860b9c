"use strict";
// Notices of the system that it is one's turn, while a tab is open and not looked at: nothing is pushed from a server.
// `habit` makes the switch of this browser; without a secure context, or where the browser has no notices, there is none.
function makeNotices(habit) {
  const can = window.isSecureContext && "Notification" in window, box = habit("notify", "no");
  document.getElementById("notifying").hidden = !can;
  if (!can) return { show() {} };
  box.addEventListener("change", async () => {
    if (box.checked && Notification.permission !== "granted") box.checked = (await Notification.requestPermission()) === "granted";
  });
  return {
    show(title, body) {
      if (!box.checked || !document.hidden || Notification.permission !== "granted") return;
      const notice = new Notification(title, { body, tag: location.pathname + location.hash.slice(0, 9) });
      notice.addEventListener("click", () => {
        window.focus();
        notice.close();
      });
    },
  };
}
