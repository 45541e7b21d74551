package parity

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// protobuf shows a body in Kubernetes' protobuf envelope: its type, and for a Status what it says.
func (n *Normalizer) protobuf(body []byte) []string {
	var envelope runtime.Unknown
	if err := envelope.Unmarshal(body[4:]); err != nil {
		return []string{fmt.Sprintf("protobuf that cannot be read: %v", err)}
	}
	lines := []string{fmt.Sprintf("protobuf of %s %s", envelope.APIVersion, envelope.Kind)}
	if envelope.Kind != "Status" {
		return lines
	}
	var status metav1.Status
	if err := status.Unmarshal(envelope.Raw); err != nil {
		return append(lines, fmt.Sprintf("no Status: %v", err))
	}
	data, err := json.Marshal(status)
	if err != nil {
		return append(lines, err.Error())
	}
	return n.renderJSON(lines, Step{}, data)
}
