;; What a user of Emacs does, by eglot: open a file, look at what is wrong, ask what
;; a value is, take the fix, and look again. Each step prints a line; the test
;; compares them. RLVET is the program, FILE the file.
(require 'eglot)
(require 'flymake)

(setq eglot-sync-connect 60
      eglot-autoshutdown nil
      eglot-confirm-server-initiated-edits nil
      vc-handled-backends '(Git)
      python-indent-guess-indent-offset nil)

(defun say (format &rest arguments)
  (princ (concat (apply #'format format arguments) "\n")))

(defun wait-until (what condition)
  (let ((late (+ (float-time) 60)))
    (while (not (funcall condition))
      (when (> (float-time) late)
        (say "FAILED: %s" what)
        (kill-emacs 1))
      (accept-process-output nil 0.05))))

(defvar shown 'nothing "What the server reported last.")

(cl-defmethod eglot-handle-notification :after
  (_server (_method (eql textDocument/publishDiagnostics)) &key diagnostics &allow-other-keys)
  (setq shown (append diagnostics nil)))

(find-file (getenv "FILE"))
(add-to-list 'eglot-server-programs `(python-mode . (,(getenv "RLVET") "server")))
(eglot '(python-mode) (project-current) 'eglot-lsp-server `(,(getenv "RLVET") "server") "python")

(wait-until "diagnostics" (lambda () (consp shown)))
(dolist (d shown)
  (let ((start (plist-get (plist-get d :range) :start)))
    (say "diagnostic %d:%d %s %s" (1+ (plist-get start :line)) (1+ (plist-get start :character)) (plist-get d :code)
         (car (split-string (plist-get d :message) ":")))
    (goto-char (point-min))
    (forward-line (plist-get start :line))))

(end-of-line)
(backward-char)
(let ((hover (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams))))
  (say "hover %s" (plist-get (plist-get hover :contents) :value)))

(beginning-of-line)
(back-to-indentation)
(forward-char 7)
(let ((actions (append (eglot-code-actions (point)) nil)) preferred)
  (dolist (action actions)
    (say "action %s" (plist-get action :title))
    (when (and (eq t (plist-get action :isPreferred)) (not preferred))
      (setq preferred action)))
  (setq shown 'nothing)
  (eglot--apply-workspace-edit (plist-get preferred :edit)))
(say "line %s" (buffer-substring-no-properties (line-beginning-position) (line-end-position)))

(eglot--signal-textDocument/didChange)
(wait-until "the finding to go" (lambda () (null shown)))
(save-buffer)
(eglot-shutdown (eglot-current-server))
(say "stopped")
