package lsp

import (
	"context"
	"fmt"
	"strings"

	"github.com/rlvet/rlvet/internal/lsp/protocol"
)

// tell shows the user a line, once in a row. It does not wait, so that it may be
// called with the state locked.
func (s *server) tell(kind protocol.MessageType, format string, args ...any) {
	text := "rlvet: " + strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	if text == s.lastMessage {
		return
	}
	s.lastMessage = text
	go s.notify(context.Background(), "window/showMessage", protocol.ShowMessage{Type: kind, Message: text})
}
